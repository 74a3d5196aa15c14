import Foundation
import TesseraManifest
import TesseraOutput
import TesseraPipelineFile
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

/// The files of `run --events` and `run --metrics` replace only those of earlier runs.
@Suite struct ReportFileTests {
  private let folder: TemporaryFolder
  private let pipeline: PipelineFile

  init() throws {
    folder = try TemporaryFolder()
    var file = PipelineFile.example()
    file.path = try folder.write("", to: "pipeline.yaml")
    file.manifest = .file(try folder.write("", to: "list.txt"))
    file.output = folder.path("out")
    try folder.write("", to: "out/notes.txt")
    pipeline = file
  }

  private func rejection(
    _ name: String, _ kind: ReportFile = .events, of pipeline: PipelineFile? = nil
  ) -> String? {
    do throws(SystemError) {
      try kind.check(folder.path(name), of: pipeline ?? self.pipeline)
      return nil
    } catch {
      return error.description
    }
  }

  private func taken(_ name: String, _ finding: String, _ option: String) -> String {
    SystemError.notReplaced(
      folder.path(name), "\(finding), and would be lost; name another file for \(option)"
    ).description
  }

  @Test(arguments: [
    ("pipeline.yaml", "is the pipeline file"), ("list.txt", "is the manifest"),
    ("out/catalog.json", "is a file of the output"), ("out/run.json", "is a file of the output"),
    ("out/.tessera", "is a file of the output"), ("out/.tessera/x/y", "is a file of the output"),
    ("out/notes.txt", nil), ("out/new.txt", nil), ("out2/catalog.json", nil), ("new.txt", nil),
    ("link", "is the manifest"),
  ])
  func inputsAndOutputsStay(_ name: String, _ finding: String?) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: "list.txt")
    for kind in [ReportFile.events, .metrics] {
      let expected = finding.map { taken(name, $0, "--\(kind)") }
      #expect(rejection(name, kind) == expected)
    }
    var other = pipeline
    other.manifest = .standardInput
    #expect((rejection("list.txt", of: other) == nil))
  }

  @Test(arguments: [
    ("", true, true), (#"{"time":"2026-01-01T00:00:00Z","event":"run-started"}"#, true, false),
    (#"{"time":"","event":""#, true, false), (#"{"time":"x","event""#, false, false),
    (#" {"time":"x","event":""#, false, false), ("# HELP tessera_build_info The", false, true),
    ("# HELP tessera", false, false), (" # HELP tessera_", false, false), ("mine\n", false, false),
  ])
  func onlyFilesOfEarlierRunsAreReplaced(
    _ text: String, _ isOfEvents: Bool, _ isOfMetrics: Bool
  ) throws {
    try folder.write(text, to: "report")
    for (kind, isOne) in [(ReportFile.events, isOfEvents), (.metrics, isOfMetrics)] {
      let finding = "is a file that no run wrote for --\(kind)"
      #expect(
        rejection("report", kind) == (isOne ? nil : taken("report", finding, "--\(kind)")))
    }
  }

  // MARK: Metrics

  private func metrics(_ name: String = "feed.prom", shard: Shard? = nil) throws -> MetricsFile {
    try MetricsFile(folder.path(name), pipeline: "conf/shop.yaml", nil, shard: shard)
  }

  /// The text without its times: those of the end, the last success and the duration.
  private func text() throws -> (text: String, ended: Double, success: Double?, seconds: Double) {
    var text = try folder.text("feed.prom")
    func take(_ name: String) throws -> Double? {
      guard let range = text.firstRange(of: try Regex("\n\(name)\\{[^}]*\\} ")) else { return nil }
      let end = text[range.upperBound...].firstIndex(of: "\n") ?? text.endIndex
      defer { text.replaceSubrange(range.upperBound..<end, with: "0") }
      return Double(text[range.upperBound..<end])
    }
    let ended = try #require(try take("tessera_last_run_timestamp_seconds"))
    let success = try take("tessera_last_success_timestamp_seconds")
    let seconds = try #require(try take("tessera_last_run_duration_seconds"))
    return (text, ended, success, seconds)
  }

  /// A run's text with these times, as ``text()`` has it.
  private static func expected(_ report: RunReport?, hasSucceeded: Bool) -> String {
    RunMetrics(
      pipeline: "shop", ended: 0, seconds: 0, report: report,
      earlierSuccess: hasSucceeded ? 0 : nil
    ).text.replacing("} 0.0\n", with: "} 0\n")
  }

  @Test func metricsAreReplacedWhateverARunComesTo() throws {
    let begun = Host.now
    var report = RunReport()
    (report.seconds, report.counts) = (12.5, ["ok": 3])
    func warn(_ sentence: String) { Issue.record("\(sentence)") }
    // A run that never succeeded, one that did, and one that failed after it.
    try metrics().record(failure: CancellationError(), warn: warn)
    let first = try text()
    #expect(first.text == Self.expected(nil, hasSucceeded: false))
    #expect(first.success == nil)
    #expect((0..<60).contains(first.seconds))
    try metrics().record(report, warn: warn)
    let second = try text()
    #expect(second.text == Self.expected(report, hasSucceeded: true))
    #expect(second.seconds == 12.5)
    #expect(second.success == second.ended)
    #expect((begun - 1...Host.now + 1).contains(second.ended))
    try metrics().record(failure: TesseraError(.local, "x"), warn: warn)
    let third = try text()
    #expect(third.text == Self.expected(nil, hasSucceeded: true))
    #expect(third.success == second.ended)
    // Another run holds the output: its own result follows.
    let before = try folder.text("feed.prom")
    try metrics().record(
      failure: TesseraError.busy("the output", holder: ""), warn: warn)
    #expect(try folder.text("feed.prom") == before)
    #expect(folder.files(below: ".").filter { $0.contains("prom") } == ["feed.prom"])
  }

  @Test func aShardHasItsLabel() throws {
    try metrics(shard: Shard(3, of: 8)).record(RunReport()) { Issue.record("\($0)") }
    #expect(try folder.text("feed.prom").contains(#"_decodes{pipeline="shop",shard="3/8"} 0"#))
  }

  /// A larger file is not one of a run.
  @Test func theLastSuccessIsReadUpToAMegabyte() throws {
    let lines = RunMetrics(pipeline: "shop", ended: 5, seconds: 1, report: RunReport()).text
    try expectMost(1 << 20) { length in
      let padding = String(repeating: "#", count: length - lines.utf8.count)
      try folder.write(lines + padding, to: "feed.prom")
      try metrics().record(failure: CancellationError()) { Issue.record("\($0)") }
      return try text().success == 5
    }
  }

  @Test func metricsThatCannotBeWrittenAreAWarning() throws {
    #expect(throws: SystemError.notAFile(folder.path("out"))) { try metrics("out") }
    #expect(throws: SystemError.self) { try metrics("missing/feed.prom") }
    let file = try metrics()
    try FileManager.default.createDirectory(
      atPath: folder.path("feed.prom/x"), withIntermediateDirectories: true)
    var warnings: [String] = []
    file.record(RunReport()) { warnings.append($0) }
    #expect(warnings.count == 1)
    #expect(warnings.first?.hasPrefix("the metrics were not written: could not ") == true)
  }
}
