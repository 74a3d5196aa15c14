import TesseraTestSupport
import Testing

@testable import TesseraPipeline

@Suite struct RunMetricsTests {
  private static func report() -> RunReport {
    var report = RunReport()
    report.seconds = 12.5
    report.counts = ["ok": 90, "stale": 3, "failed": 7]
    report.errors = ["timeout": 3, "not-image": 7]
    report.problemCount = 2
    (report.failures, report.before) = ([.new: 4, .known: 6], 120)
    (report.requests, report.retries, report.notModified) = (120, 20, 30)
    (report.bytesFetched, report.bytesWritten) = (5_000_000_000, 250_000)
    (report.variantsMade, report.variantsReused) = (40, 210)
    (report.decodes, report.workers, report.workersReplaced) = (10, 2, 1)
    (report.upgradedImages, report.upgradesWaiting) = (4, 96)
    report.peakMemory = 31_457_280
    report.warnings = ["a", "b"]
    return report
  }

  private static let outcome = """
    # HELP tessera_build_info The version of the command; always 1.
    # TYPE tessera_build_info gauge
    tessera_build_info{pipeline="feed",version="\(Version.number)"} 1
    # HELP tessera_last_run_success 1 if the last run wrote its result (exit status 0 or 1), 0 if it could not or was stopped.
    # TYPE tessera_last_run_success gauge

    """

  @Test func theTextOfARunThatWasDone() {
    let metrics = RunMetrics(
      pipeline: "feed", ended: 1_795_000_000.1236, seconds: 12.5, report: Self.report(),
      earlierSuccess: 1_794_996_400)
    #expect(metrics.text == Self.outcome + Self.done)
  }

  private static let done = """
    tessera_last_run_success{pipeline="feed"} 1
    # HELP tessera_last_run_timestamp_seconds When the last run ended, in Unix time.
    # TYPE tessera_last_run_timestamp_seconds gauge
    tessera_last_run_timestamp_seconds{pipeline="feed"} 1795000000.124
    # HELP tessera_last_success_timestamp_seconds When a run last wrote its result, in Unix time.
    # TYPE tessera_last_success_timestamp_seconds gauge
    tessera_last_success_timestamp_seconds{pipeline="feed"} 1795000000.124
    # HELP tessera_last_run_duration_seconds How long the last run took.
    # TYPE tessera_last_run_duration_seconds gauge
    tessera_last_run_duration_seconds{pipeline="feed"} 12.5
    # HELP tessera_last_run_items Items by status.
    # TYPE tessera_last_run_items gauge
    tessera_last_run_items{pipeline="feed",status="ok"} 90
    tessera_last_run_items{pipeline="feed",status="stale"} 3
    tessera_last_run_items{pipeline="feed",status="failed"} 7
    tessera_last_run_items{pipeline="feed",status="pending"} 0
    # HELP tessera_last_run_item_errors Failed and stale items by error code.
    # TYPE tessera_last_run_item_errors gauge
    tessera_last_run_item_errors{pipeline="feed",code="not-image"} 7
    tessera_last_run_item_errors{pipeline="feed",code="timeout"} 3
    # HELP tessera_last_run_failures Images by how their errors relate to the run before: new, known, or solved.
    # TYPE tessera_last_run_failures gauge
    tessera_last_run_failures{pipeline="feed",change="new"} 4
    tessera_last_run_failures{pipeline="feed",change="known"} 6
    tessera_last_run_failures{pipeline="feed",change="solved"} 0
    # HELP tessera_last_run_lost_items Items that the manifest has fewer than in the run before.
    # TYPE tessera_last_run_lost_items gauge
    tessera_last_run_lost_items{pipeline="feed"} 20
    # HELP tessera_last_run_manifest_problems Manifest lines that could not be used.
    # TYPE tessera_last_run_manifest_problems gauge
    tessera_last_run_manifest_problems{pipeline="feed"} 2
    # HELP tessera_last_run_warnings Warnings that the run printed.
    # TYPE tessera_last_run_warnings gauge
    tessera_last_run_warnings{pipeline="feed"} 2
    # HELP tessera_last_run_requests HTTP requests that were sent, retries included.
    # TYPE tessera_last_run_requests gauge
    tessera_last_run_requests{pipeline="feed"} 120
    # HELP tessera_last_run_retries Further attempts after an error, also where no connection came about.
    # TYPE tessera_last_run_retries gauge
    tessera_last_run_retries{pipeline="feed"} 20
    # HELP tessera_last_run_not_modified Sources that had not changed, by their server.
    # TYPE tessera_last_run_not_modified gauge
    tessera_last_run_not_modified{pipeline="feed"} 30
    # HELP tessera_last_run_fetched_bytes Bytes received from sources.
    # TYPE tessera_last_run_fetched_bytes gauge
    tessera_last_run_fetched_bytes{pipeline="feed"} 5000000000
    # HELP tessera_last_run_written_bytes Bytes of the variants that were made.
    # TYPE tessera_last_run_written_bytes gauge
    tessera_last_run_written_bytes{pipeline="feed"} 250000
    # HELP tessera_last_run_variants Variants by origin: made by this run, by an earlier one, or by an image service.
    # TYPE tessera_last_run_variants gauge
    tessera_last_run_variants{pipeline="feed",origin="made"} 40
    tessera_last_run_variants{pipeline="feed",origin="reused"} 210
    tessera_last_run_variants{pipeline="feed",origin="delivered"} 0
    # HELP tessera_last_run_upgraded_images Images that got files of the better format.
    # TYPE tessera_last_run_upgraded_images gauge
    tessera_last_run_upgraded_images{pipeline="feed"} 4
    # HELP tessera_last_run_upgrades_waiting Images that lack files of the better format.
    # TYPE tessera_last_run_upgrades_waiting gauge
    tessera_last_run_upgrades_waiting{pipeline="feed"} 96
    # HELP tessera_last_run_decodes Images that were decoded.
    # TYPE tessera_last_run_decodes gauge
    tessera_last_run_decodes{pipeline="feed"} 10
    # HELP tessera_last_run_workers Worker processes at a time.
    # TYPE tessera_last_run_workers gauge
    tessera_last_run_workers{pipeline="feed"} 2
    # HELP tessera_last_run_workers_replaced Workers that crashed, hung or exceeded a limit, and were replaced.
    # TYPE tessera_last_run_workers_replaced gauge
    tessera_last_run_workers_replaced{pipeline="feed"} 1
    # HELP tessera_last_run_peak_memory_bytes Peak memory of the coordinator, without its workers.
    # TYPE tessera_last_run_peak_memory_bytes gauge
    tessera_last_run_peak_memory_bytes{pipeline="feed"} 31457280

    """

  /// Nothing of an earlier run but its end, and no counts.
  @Test func theTextOfARunThatFailed() {
    let failed = RunMetrics(
      pipeline: "feed", ended: 1_795_000_000, seconds: 0.25, report: nil,
      earlierSuccess: 1_794_996_400)
    #expect(failed.text == Self.outcome + Self.failed)
    let first = RunMetrics(pipeline: "feed", ended: 0, seconds: 0, report: nil)
    #expect(!first.text.contains("tessera_last_success"))
  }

  private static let failed = """
    tessera_last_run_success{pipeline="feed"} 0
    # HELP tessera_last_run_timestamp_seconds When the last run ended, in Unix time.
    # TYPE tessera_last_run_timestamp_seconds gauge
    tessera_last_run_timestamp_seconds{pipeline="feed"} 1795000000.0
    # HELP tessera_last_success_timestamp_seconds When a run last wrote its result, in Unix time.
    # TYPE tessera_last_success_timestamp_seconds gauge
    tessera_last_success_timestamp_seconds{pipeline="feed"} 1794996400.0
    # HELP tessera_last_run_duration_seconds How long the last run took.
    # TYPE tessera_last_run_duration_seconds gauge
    tessera_last_run_duration_seconds{pipeline="feed"} 0.25

    """

  @Test func labelsAndHelpAreEscaped() {
    var text = PrometheusText(labels: [("pipeline", "a\"b\\c\r\nd")])
    text.gauge("x", "back\\slash \"quoted\"\nsecond line", 1)
    text.gauge("empty", "no lines", [])
    #expect(
      text.text == """
        # HELP x back\\\\slash "quoted"\\nsecond line
        # TYPE x gauge
        x{pipeline="a\\"b\\\\c\r\\nd"} 1

        """)
  }

  @Test(
    arguments: [
      ("feed", nil, 1_795_000_000.124), ("shop", nil, nil), ("feed", "1/8", nil),
    ] as [(String, String?, Double?)])
  func theLastSuccessIsReadFromTheTextOfTheSamePipeline(
    _ pipeline: String, _ shard: String?, _ expected: Double?
  ) {
    let written = RunMetrics(
      pipeline: "feed", ended: 1_795_000_000.1236, seconds: 1, report: Self.report())
    var next = RunMetrics(pipeline: pipeline, shard: shard, ended: 0, seconds: 0)
    next.readEarlierSuccess(in: written.text)
    #expect(next.earlierSuccess == expected)
  }

  @Test(arguments: ["", "tessera_last_success", "NaN", "+Inf", "1e999", "-", "1 1795000000000"])
  func aDamagedFileIsNoSuccess(_ value: String) {
    var next = RunMetrics(pipeline: "feed", ended: 0, seconds: 0)
    next.readEarlierSuccess(
      in: "tessera_last_success_timestamp_seconds{pipeline=\"feed\"} \(value)\n")
    #expect(next.earlierSuccess == nil)
  }
}
