internal import TesseraFetch
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// Estimates what work costs from what earlier runs have recorded.
struct RunCosts: Sendable {
  private let known: [CostKind: CostSums]
  private let jobs: JobCosts
  private let times: RunTimes
  private let workers: Int
  private let transfers: Int
  /// Seconds from one request to the next, of all and of one host, where there is a rate.
  private let interval: Double
  private let intervals: [String: Double]

  /// - Parameter runs: the last ones.
  init(
    _ known: [CostKind: CostSums], runs: [RunTime] = [], _ file: PipelineFile, workers: Int
  ) {
    self.known = known
    times = RunTimes(runs)
    (self.workers, transfers) = (workers, file.fetch.concurrency)
    interval = file.fetch.rate?.interval.inSeconds ?? 0
    intervals = HostRules(file.fetch.hosts).rates.mapValues(\.interval.inSeconds)
    jobs = JobCosts(known)
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

  /// What a job costs on a source of a format, or of any format if that is not known.
  func work(_ job: JobSize, of format: String?) -> RunForecast.Work { jobs.work(job, of: format) }

  /// Of which of these no time is known yet.
  func unmeasured(_ encoders: Set<String>) -> Set<String> { jobs.unmeasured(encoders) }

  /// The job for a source that is not known, of which this number of files is made.
  func usualJob(files: Double) -> JobSize { jobs.usual(files: files) }

  /// Files of a source, as far as earlier runs say.
  var filesOfSource: Double { jobs.filesOfSource }

  // MARK: Runs

  /// The time that transfers and jobs need if as many go on at a time as may.
  func busySeconds(transfers seconds: Double, jobs: Double) -> Double {
    max(seconds / Double(max(1, transfers)), jobs / Double(max(1, workers)))
  }

  /// By the clock.
  ///
  /// - Parameter waits: whether it requests again what failed.
  func seconds(of work: RunForecast.Work, waits: Bool = false) -> Double {
    let busy = busySeconds(transfers: work.fetchSeconds, jobs: work.jobSeconds)
    return max(times.factor * busy, pacedSeconds(of: work)) + times.idle
      + (waits && work.requests > 0 ? times.waits : 0)
  }

  /// From the first request to the last, as the rates have it.
  private func pacedSeconds(of work: RunForecast.Work) -> Double {
    let hosts = work.paced.map { host, count in Double(count - 1) * (intervals[host] ?? 0) }
    return max(0, Double(work.requests - 1) * interval, hosts.max() ?? 0)
  }
}

/// What runs take by the clock beside their work: medians of the last ones, so that one bad run decides nothing.
struct RunTimes: Sendable {
  /// What every run takes: that of runs without a request and a file.
  let idle: Double
  /// What other runs took for each second of their work.
  let factor: Double
  /// What runs took that waited for hosts, more than their work. It is no cost of a run that does not request again what
  /// failed.
  let waits: Double

  /// On a small server.
  private static let usual = (idle: 0.3, factor: 1.1)
  /// Of less work, the clock says nothing.
  private static let leastWork = 0.1

  init(_ runs: [RunTime]) {
    func median(_ kind: RunTime.Kind, _ value: (RunTime) -> Double) -> Double? {
      let values = runs.filter { $0.kind == kind }.map { max(0, value($0)) }.sorted()
      return values.isEmpty
        ? nil : (values[values.count / 2] + values[(values.count - 1) / 2]) / 2
    }
    let idle =
      median(.idle) { $0.seconds } ?? min(Self.usual.idle, runs.map(\.seconds).min() ?? .infinity)
    let factor =
      median(.busy) {
        $0.work < Self.leastWork ? Self.usual.factor : max(1, ($0.seconds - idle) / $0.work)
      } ?? Self.usual.factor
    (self.idle, self.factor) = (idle, factor)
    waits = median(.waited) { $0.seconds - idle - factor * $0.work } ?? 0
  }
}

extension RunSession {
  /// Leaves what the run has cost for `plan`.
  func noteCosts(_ state: StateStore) async throws {
    let report = recorder.current
    try await state.add(report.costs)
    if let time = runTime(report) { try await state.add(time) }
  }

  /// Nil if the time says nothing about the next run: it ended early, or was as long as a rate wanted it.
  private func runTime(_ report: RunReport) -> RunTime? {
    let isPaced = file.fetch.rate != nil || file.fetch.hosts.contains { $0.rate != nil }
    guard report.notReached == 0, !isPaced || report.requests == 0 else { return nil }
    // Those that were answered.
    let transfers = [CostKind.transfer, .confirmation].reduce(0) {
      $0 + (report.costs[$1]?.seconds ?? 0)
    }
    let work = RunCosts(report.costs, file, workers: opening.budget.count)
      .busySeconds(transfers: transfers, jobs: report.transcoding.inSeconds)
    let lost = report.fetching.inSeconds - transfers
    let hasWaited =
      report.retries > 0 || report.hasPaused || lost > Self.lostShare * report.fetching.inSeconds
    let isIdle = report.requests == 0 && report.decodes == 0
    return RunTime(
      isIdle ? .idle : hasWaited ? .waited : .busy, seconds: report.seconds, work: work)
  }

  /// A larger share of the time of requests, in requests that failed, means that the run has waited for hosts.
  private static let lostShare = 0.1
}
