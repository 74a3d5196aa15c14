internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// How long a run takes by the clock, from what the last runs took: medians, so that one bad run decides nothing.
struct RunPace: Sendable {
  /// What a run takes beside its work, in seconds.
  private let idle: Double
  /// What it takes for each request and each file; nil if no run says it.
  private let request: Double?
  private let file: Double?
  /// Seconds from one request to the next, of all and of one host, where there is a rate.
  private let interval: Double
  private let intervals: [String: Double]

  /// Earlier runs say little of the present.
  private static let most = 15
  /// A run without work on a small server.
  private static let usualIdle = 0.3

  /// - Parameter history: of the output.
  init(_ history: RunHistory, _ settings: PipelineFile.Fetch) {
    let runs = history.entries.filter { $0.kind == .run && $0.outcome.isSuccess }.suffix(Self.most)
    func median(_ value: (HistoryEntry) -> Double?) -> Double? {
      let values = runs.compactMap(value).sorted()
      return values.isEmpty
        ? nil : (values[values.count / 2] + values[(values.count - 1) / 2]) / 2
    }
    let counts = { (run: HistoryEntry) in
      (requests: run.work[.requests] ?? 0, files: run.work[.encodes] ?? 0)
    }
    let idle =
      median { counts($0) == (0, 0) ? $0.seconds : nil }
      ?? min(Self.usualIdle, runs.map(\.seconds).min() ?? .infinity)
    self.idle = idle
    let share = { (run: HistoryEntry, count: Int) in
      count > 0 ? max(0, run.seconds - idle) / Double(count) : nil
    }
    file = median { share($0, counts($0).files) }
    // Where files were made, requests may have waited for them.
    request =
      median { counts($0).files == 0 ? share($0, counts($0).requests) : nil }
      ?? median { share($0, counts($0).requests) }
    interval = settings.rate?.interval.inSeconds ?? 0
    intervals = HostRules(settings.hosts).rates.mapValues(\.interval.inSeconds)
  }

  /// In seconds: at least what the rates want; nil without them, if no run has done such work.
  func seconds(of work: RunForecast.Work) -> Double? {
    let paced = pacedSeconds(of: work)
    var seconds = paced
    for (count, each) in [(work.requests, request), (work.files, file)] where count > 0 {
      if each == nil, paced == 0 { return nil }
      seconds = max(seconds, Double(count) * (each ?? 0))
    }
    return idle + seconds
  }

  /// From the first request to the last, as the rates have it.
  private func pacedSeconds(of work: RunForecast.Work) -> Double {
    let hosts = work.paced.map { host, count in Double(count - 1) * (intervals[host] ?? 0) }
    return max(0, Double(work.requests - 1) * interval, hosts.max() ?? 0)
  }
}
