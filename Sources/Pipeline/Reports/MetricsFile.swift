package import TesseraManifest
package import TesseraPipelineFile
package import TesseraSystem

/// The file of `run --metrics`: replaced at the end of each run, whether it was done or not.
///
/// A run that finds the output held by another one writes nothing: the other one will.
package struct MetricsFile: Sendable {
  private let folder: Directory
  private let name: String
  private let empty: RunMetrics
  private let begun = ContinuousClock.now

  /// The node exporter reads all files that end in `.prom`.
  private var draft: String { ".\(name).new" }

  /// More than a file with every error code has.
  private static let maximumLength = 1 << 20

  /// - Parameters:
  ///   - pipeline: the path of the pipeline file. Its name is the label, also if it can't be read.
  ///   - file: the pipeline; nil if its file can't be read.
  ///   - shard: nil for a run of all items.
  /// - Throws: `SystemError` if the file is another one, or can't be written: a mistake is found before the run.
  package init(
    _ path: String, pipeline: String, _ file: PipelineFile?, shard: Shard?
  ) throws(SystemError) {
    name = FileSystem.name(of: path)
    guard !FileSystem.exists(path) || FileSystem.size(ofFile: path) != nil else {
      throw .notAFile(path)
    }
    try ReportFile.metrics.check(path, of: file)
    folder = try Directory(FileSystem.parent(of: path))
    var metrics = RunMetrics(
      pipeline: PipelineFile.name(of: pipeline), shard: shard?.description, ended: 0, seconds: 0)
    // A file that can't be read is replaced, and the last success is then unknown.
    if let bytes = try? FileSystem.read(path, limit: Self.maximumLength) {
      metrics.readEarlierSuccess(in: String(decoding: bytes, as: UTF8.self))
    }
    empty = metrics
    _ = try folder.open(draft, .write)
    try folder.remove(draft)
  }

  /// Replaces the file.
  ///
  /// - Parameters:
  ///   - report: of a run that was done.
  ///   - warn: called with a sentence if that fails. The run's result stays valid then.
  package func record(_ report: RunReport, warn: (String) -> Void) {
    write(report, seconds: report.seconds, warn)
  }

  /// Replaces the file after a run that could not be done, or that was stopped.
  package func record(failure error: any Error, warn: (String) -> Void) {
    if TesseraError(error).isBusy { return }
    write(nil, seconds: begun.duration(to: .now).inSeconds, warn)
  }

  private func write(_ report: RunReport?, seconds: Double, _ warn: (String) -> Void) {
    var metrics = empty
    metrics.ended = Host.now
    metrics.seconds = seconds
    metrics.report = report
    do throws(SystemError) {
      try folder.replace(name, with: Array(metrics.text.utf8), draft: draft)
    } catch {
      warn("the metrics were not written: \(error)")
    }
  }
}
