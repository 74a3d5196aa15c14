internal import Synchronization
internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

extension RunSession {
  /// Adds files of the better format, as far as the budget goes, and publishes what names them.
  ///
  /// - Returns: whether the run was stopped meanwhile.
  func addBetterFiles(
    _ runContext: RunContext, _ result: RunResult, _ pool: any Transcoding, _ fetcher: any Fetching,
    boot: String
  ) async throws -> Bool {
    guard let queue = runContext.upgrades else { return false }
    let (items, offered) = queue.take()
    recorder.update { $0.upgradesWaiting = offered }
    guard !items.isEmpty else { return false }
    let loop = UpgradeLoop(
      runContext, budget: queue.upgrade.budget, workers: setup.budget.count)
    options.stop.onRequest {
      loop.stop()
      pool.drain()
      fetcher.close()
    }
    defer { options.stop.onRequest(nil) }
    // The files are not on the disk before they are published.
    try await runContext.state.reopenRun(runContext.run, boot: boot)
    let end = try await withTaskCancellationHandler {
      try await loop.run(items)
    } onCancel: {
      pool.close()
      fetcher.close()
    }
    try Task.checkCancellation()
    recorder.update { $0.upgradesWaiting = offered - end.upgraded }
    // Tables need workers. The next run shows what was done.
    if end.upgraded > 0, !end.isStopped || file.tables.isEmpty {
      var result = result
      if !file.tables.isEmpty {
        result.tables = try await TableWriter(runContext, result.lines, meter).write()
      }
      try await runContext.state.save(try await publish(result, runContext, replaces: true))
    }
    try await runContext.state.closeRun(runContext.run)
    return end.isStopped
  }
}

/// Adds files of the better format to images that are published, those that are worth most first, as long as the budget and
/// the run's time last. The budget is of workers' time, and no image begins after as much time has passed by the clock, in
/// which workers may have waited for bytes.
///
/// An image that fails keeps its files and its line. A host of which several images in a row can't be had is left alone.
final class UpgradeLoop: Sendable {
  private let runContext: RunContext
  private let itemPipeline: FilesPipeline
  private let budget: Duration
  /// Images at a time: some wait for their bytes.
  private let window: Int
  private let end: ContinuousClock.Instant
  private let progress = Mutex(Progress())

  /// This many failed images in a row mean that a host is down.
  private static let unreached = 3

  private struct Progress {
    var isStopped = false
    var spent = Duration.zero
    var upgraded = 0
    /// Images in a row that could not be had, by their host.
    var unreached: [String: Int] = [:]
  }

  init(_ runContext: RunContext, budget: Duration, workers: Int) {
    self.runContext = runContext
    self.budget = budget
    itemPipeline = FilesPipeline(runContext)
    window = 3 * workers
    let end = ContinuousClock.now.advanced(by: budget)
    self.end = runContext.fetcher.end.map { min($0, end) } ?? end
  }

  /// Starts no other image.
  func stop() { progress.withLock { $0.isStopped = true } }

  /// - Returns: how many images were upgraded, and whether it was stopped.
  /// - Throws: what ends a run, or `CancellationError` if its task was cancelled.
  func run(_ items: [Item]) async throws -> (upgraded: Int, isStopped: Bool) {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var running = 0
      for item in items where goesOn && isReached(item.host) {
        if running == window {
          try await group.next()
          running -= 1
          guard goesOn else { break }
        }
        running += 1
        group.addTask { try await self.upgrade(item) }
      }
      try await group.waitForAll()
    }
    let end = progress.withLock { $0 }
    runContext.recorder.update { $0.upgradeSeconds = end.spent.inSeconds }
    return (end.upgraded, end.isStopped)
  }

  private var goesOn: Bool {
    ContinuousClock.now < end && !Task.isCancelled
      && progress.withLock { !$0.isStopped && $0.spent < budget }
  }

  private func isReached(_ host: String) -> Bool {
    progress.withLock { $0.unreached[host, default: 0] < Self.unreached }
  }

  private func upgrade(_ item: Item) async throws {
    let turns = runContext.turns
    let place = turns.queue.place(item.sourceKey)
    await turns.queue.turn(place)
    defer {
      runContext.copies.run.release(item.sourceKey)
      turns.queue.leave(place)
    }
    // Between two images.
    guard goesOn, isReached(item.host) else { return }
    let context = ItemContext(item.upgrading())
    let end: UpgradeEnd
    do {
      end = try await itemPipeline.upgrade(context)
    } catch is CancellationError where progress.withLock({ $0.isStopped }) {
      return
    }
    let time = context.watch?.time ?? .zero
    progress.withLock { progress in
      progress.spent += time
      if end == .upgraded { progress.upgraded += 1 }
      progress.unreached[item.host] =
        end == .unreached ? progress.unreached[item.host, default: 0] + 1 : nil
    }
    runContext.recorder.addUpgrade(
      end == .upgraded ? context.made : nil, fetching: context.fetching, transcoding: time)
  }
}
