internal import TesseraCatalog
package import TesseraManifest
internal import TesseraOutput
package import TesseraPipelineFile
package import TesseraSystem
internal import TesseraText

/// The metrics of the last run of a pipeline.
///
/// All are gauges: a run counts from zero, and what it did is not added to what earlier runs did. After
/// a run that could not be done, only the outcome, the times and the last success are there, so that
/// counts of an earlier run are never taken for those of the last one.
struct RunMetrics {
  /// The label `pipeline`.
  var pipeline: String
  /// The label `shard`, as it is written on the command line; nil for a run of all items.
  var shard: String?
  /// When the run ended, in seconds since 1970.
  var ended: Double
  var seconds: Double
  /// Nil if the run could not be done.
  var report: RunReport?
  /// The end of the last run that was done before this one, in seconds since 1970.
  var earlierSuccess: Double?

  private static let lastSuccess = "tessera_last_success_timestamp_seconds"

  private var empty: PrometheusText {
    let part: [PrometheusText.Label] = shard.map { [("shard", $0)] } ?? []
    return PrometheusText(labels: [("pipeline", pipeline)] + part)
  }

  /// Takes the last success from what an earlier run wrote.
  mutating func readEarlierSuccess(in text: String) {
    earlierSuccess = empty.value(of: Self.lastSuccess, in: text)
  }

  /// The content of a `.prom` file.
  var text: String {
    var text = empty
    text.gauge(
      "tessera_build_info", "The version of the command; always 1.",
      [([("version", Version.number)], "1")])
    text.gauge(
      "tessera_last_run_success",
      "1 if the last run wrote its result (exit status 0 or 1), 0 if it could not or was stopped.",
      report == nil ? 0 : 1)
    text.gauge(
      "tessera_last_run_timestamp_seconds", "When the last run ended, in Unix time.",
      seconds: ended)
    text.gauge(
      Self.lastSuccess, "When a run last wrote its result, in Unix time.",
      seconds: report == nil ? earlierSuccess : ended)
    text.gauge(
      "tessera_last_run_duration_seconds", "How long the last run took.", seconds: seconds)
    if let report {
      Self.addItems(of: report, to: &text)
      Self.addWork(of: report, to: &text)
      for (figure, value) in report.figures.known {
        text.gauge(figure.metric, figure.help, value)
      }
    }
    return text.text
  }

  private static func addItems(of report: RunReport, to text: inout PrometheusText) {
    text.gauge(
      "tessera_last_run_items", "Items by status.",
      CatalogImage.Status.allCases.map { status in
        ([("status", status.rawValue)], "\(report.count(status.rawValue))")
      })
    text.gauge(
      "tessera_last_run_item_errors", "Failed and stale items by error code.",
      report.errors.sorted { $0.key < $1.key }.map { ([("code", $0.key)], "\($0.value)") })
    text.gauge(
      "tessera_last_run_failures",
      "Images by how their errors relate to the run before: new, known, or solved.",
      ItemReport.FailureChange.allCases.map { change in
        ([("change", change.rawValue)], "\(report.failures[change] ?? 0)")
      })
    text.gauge(
      "tessera_last_run_lost_items", "Items that the manifest has fewer than in the run before.",
      max(0, (report.before ?? 0) - report.total))
    text.gauge(
      "tessera_last_run_manifest_problems", "Manifest lines that could not be used.",
      report.problemCount)
    text.gauge(
      "tessera_last_run_warnings", "Warnings that the run printed.", report.warnings.count)
  }

  private static func addWork(of report: RunReport, to text: inout PrometheusText) {
    text.gauge(
      "tessera_last_run_requests", "HTTP requests that were sent, retries included.",
      report.requests)
    text.gauge(
      "tessera_last_run_retries",
      "Further attempts after an error, also where no connection came about.", report.retries)
    text.gauge(
      "tessera_last_run_not_modified", "Sources that had not changed, by their server.",
      report.notModified)
    text.gauge(
      "tessera_last_run_fetched_bytes", "Bytes received from sources.", report.bytesFetched)
    text.gauge(
      "tessera_last_run_written_bytes", "Bytes of the variants that were made.",
      report.bytesWritten)
    text.gauge(
      "tessera_last_run_variants",
      "Variants by origin: made by this run, by an earlier one, or by an image service.",
      [
        ([("origin", "made")], "\(report.variantsMade)"),
        ([("origin", "reused")], "\(report.variantsReused)"),
        ([("origin", "delivered")], "\(report.variantsDelivered)"),
      ])
    text.gauge(
      "tessera_last_run_upgraded_images", "Images that got files of the better format.",
      report.upgradedImages)
    text.gauge(
      "tessera_last_run_upgrades_waiting", "Images that lack files of the better format.",
      report.upgradesWaiting)
    text.gauge("tessera_last_run_decodes", "Images that were decoded.", report.decodes)
    text.gauge("tessera_last_run_workers", "Worker processes at a time.", report.workers)
    text.gauge(
      "tessera_last_run_workers_replaced",
      "Workers that crashed, hung or exceeded a limit, and were replaced.",
      report.workersReplaced)
    text.gauge(
      "tessera_last_run_peak_memory_bytes", "Peak memory of the coordinator, without its workers.",
      report.peakMemory)
  }
}

/// Prometheus' text format, as the node exporter's textfile collector reads it.
///
/// Without timestamps, which that collector rejects. The format is described in Prometheus'
/// "Exposition formats".
struct PrometheusText {
  typealias Label = (name: String, value: String)

  /// One line of a metric: its own labels beside those of all lines, and its value.
  typealias Sample = (labels: [Label], value: String)

  /// The labels that every line has.
  let labels: [Label]
  private(set) var text = ""

  init(labels: [Label]) { self.labels = labels }

  /// Adds a gauge with its lines; nothing if it has none.
  mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) gauge\n"
    for sample in samples { text += "\(series(name, sample.labels)) \(sample.value)\n" }
  }

  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    gauge(name, help, [([], "\(value)")])
  }

  /// Adds a gauge in seconds, to the millisecond; nothing if it is nil.
  mutating func gauge(_ name: String, _ help: String, seconds: Double?) {
    guard let seconds else { return }
    gauge(name, help, [([], "\((seconds * 1_000).rounded() / 1_000)")])
  }

  /// The name and labels of a line.
  func series(_ name: String, _ own: [Label] = []) -> String {
    let pairs = (labels + own).map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
    return "\(name){\(pairs.joined(separator: ","))}"
  }

  /// The value of a line in a text of this format; nil if no line has this name and these labels.
  func value(of name: String, in text: String) -> Double? {
    let start = series(name) + " "
    let line = text.split(separator: "\n").last { $0.begins(with: start) }
    return line.flatMap { Double($0.dropFirst(start.count)) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Quotation marks are escaped in the values of labels only.
  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    var result = ""
    // Scalars: "\r\n" is one character, and its line feed has to be found.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

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
