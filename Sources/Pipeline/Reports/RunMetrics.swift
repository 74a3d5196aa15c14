internal import TesseraCatalog
internal import TesseraOutput

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
