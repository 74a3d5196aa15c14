internal import TesseraNet
internal import TesseraSystem
internal import TesseraWorkers

/// What a run begins, works with and closes. A test has others, which need no network and no processes.
struct RunServices: Sendable {
  var clock: WallClock
  var startFetcher: @Sendable (FetchSettings) throws(SystemError) -> any Fetching
  var startWorkers: @Sendable (WorkerSettings) async throws(TesseraError) -> any Transcoding

  static let system = RunServices(
    clock: .system,
    startFetcher: { settings throws(SystemError) in try Fetcher(settings) },
    startWorkers: { settings async throws(TesseraError) in
      try await WorkerPool.start(settings)
    })
}
