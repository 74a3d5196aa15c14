internal import TesseraFetch
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// Estimates what work costs from what earlier runs have recorded.
struct RunCosts: Sendable {
  private let known: [CostKind: CostSums]
  /// Of all formats.
  private let decodes: CostSums
  private let workers: Int
  private let transfers: Int
  /// Seconds from one request to the next, of all and of one host, where there is a rate.
  private let interval: Double
  private let intervals: [String: Double]

  /// Seconds for a megapixel of a source and for one of its files: a JPEG to WebP, on one core of a small server. Measured
  /// times replace them after the first run.
  private static let usualJob = (x: 0.012, y: 0.15)
  /// Of a run by the clock: more than its work, and what every run takes.
  private static let usualRun = (x: 1.1, y: 0.3)

  init(_ known: [CostKind: CostSums], _ file: PipelineFile, workers: Int) {
    self.known = known
    (self.workers, transfers) = (workers, file.fetch.concurrency)
    interval = file.fetch.rate?.interval.inSeconds ?? 0
    intervals = HostRules(file.fetch.hosts).rates.mapValues(\.interval.inSeconds)
    var all = CostSums()
    for case (.decode, let sums) in known { all += sums }
    decodes = all
  }

  // MARK: Sources

  /// Bytes of a source that is not known.
  var sourceBytes: Double { known[.transfer]?.mean(\.bytes) ?? 0 }
  var transferSeconds: Double { known[.transfer]?.mean(\.seconds) ?? 0 }
  /// Of a request that is answered "not modified".
  var confirmationSeconds: Double {
    known[.confirmation]?.mean(\.seconds) ?? transferSeconds
  }

  // MARK: Jobs

  /// Of a job on a source of a format, or of any format if that is not known.
  func seconds(_ job: JobSize, of format: String?) -> Double {
    let rates = sums(of: format).rates(usual: Self.usualJob)
    return rates.x * job.source + rates.y * job.files
  }

  func bytes(_ job: JobSize, of format: String?) -> Double {
    let sums = sums(of: format)
    return sums.estimated > 0 ? job.bytes * sums.written / sums.estimated : job.bytes
  }

  private func sums(of format: String?) -> CostSums {
    format.flatMap { known[.decode($0)] } ?? decodes
  }

  /// The job for a source that is not known, of which this number of files is made.
  func usualJob(files: Double) -> JobSize {
    let count = max(1, decodes.count)
    let perFile = files / max(1, decodes.files)
    return JobSize(
      source: decodes.x / count, files: decodes.y * perFile, bytes: decodes.estimated * perFile)
  }

  /// Files of a source, as far as earlier runs say.
  var filesOfSource: Double { decodes.mean(\.files) ?? 0 }

  // MARK: Runs

  /// The time that transfers and jobs need if as many go on at a time as may.
  func busySeconds(transfers seconds: Double, jobs: Double) -> Double {
    max(seconds / Double(max(1, transfers)), jobs / Double(max(1, workers)))
  }

  /// By the clock.
  func seconds(of work: RunForecast.Work) -> Double {
    let rates = (known[.run] ?? CostSums()).rates(usual: Self.usualRun)
    let busy = busySeconds(transfers: work.fetchSeconds, jobs: work.jobSeconds)
    return max(rates.x * busy, pacedSeconds(of: work)) + rates.y
  }

  /// From the first request to the last, as the rates have it.
  private func pacedSeconds(of work: RunForecast.Work) -> Double {
    let hosts = work.paced.map { host, count in Double(count - 1) * (intervals[host] ?? 0) }
    return max(0, Double(work.requests - 1) * interval, hosts.max() ?? 0)
  }
}

extension RunSession {
  /// Leaves what the run has cost for `plan`.
  func noteCosts(_ state: StateStore) async throws {
    let report = recorder.current
    var costs = report.costs
    let busy = RunCosts(costs, file, workers: opening.budget.count)
      .busySeconds(
        transfers: report.fetching.inSeconds, jobs: report.transcoding.inSeconds)
    costs[.run, default: CostSums()].add(report.seconds, x: busy, y: 1)
    try await state.add(costs)
  }
}
