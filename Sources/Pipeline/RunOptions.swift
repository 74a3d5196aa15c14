internal import Synchronization
package import TesseraManifest
internal import TesseraNet
internal import TesseraSystem
internal import TesseraWorkers

/// How far a run goes.
package enum RunExtent: Sendable {
  case everything
  /// Sizes only, from the first bytes of each source; nothing is decoded.
  case layout
}

/// What a run takes from the command line and not from the pipeline file.
package struct RunOptions: Sendable {
  /// The path of `tessera-worker`.
  package var workerPath: String
  /// How long the run may fetch and decode. What is not done by then fails, or stays stale, and is in
  /// the catalog with the rest.
  package var deadline: Duration?
  /// Whether only items that failed, are stale or are new are requested (`--retry-failed`).
  package var onlyFailed = false
  /// Whether the manifest may have lost any number of items (`--allow-shrink`).
  package var allowsShrink = false
  /// Whether any number of images may fail, and those that the catalog shows be lost (`--allow-loss`).
  package var allowsLoss = false
  /// Whether the catalog of another pipeline may be replaced (`--take-over`).
  package var takesOver = false

  /// The images that the run is for; nil for all.
  package var selection: RunSelection?

  /// Ends the run early.
  package var stop = RunStop()

  /// The part of the manifest that this run processes; nil for all of it.
  package var shard: Shard?

  /// The part as it is written.
  package var shardName: String? { shard?.description }

  /// A shard as it is written: `3/8`. Nil for another text.
  package static func shard(_ text: String) -> Shard? { Shard(text) }

  package init(workerPath: String) { self.workerPath = workerPath }
}

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

/// Ends a run in good order: what is being decoded is finished and kept, nothing else begins. The next run
/// goes on.
package final class RunStop: Sendable {
  private struct State {
    var isRequested = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  var isRequested: Bool { state.withLock { $0.isRequested } }

  /// - Returns: whether items are in work; otherwise nothing has to be finished.
  package func request() -> Bool {
    let action = state.withLock { state in
      state.isRequested = state.action != nil
      return state.action
    }
    action?()
    return action != nil
  }

  /// Has `action` called by ``request()``, until it is replaced by nil.
  func onRequest(_ action: (@Sendable () -> Void)?) {
    state.withLock { $0.action = action }
  }
}
