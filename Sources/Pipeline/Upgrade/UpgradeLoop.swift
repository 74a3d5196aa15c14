internal import Synchronization
internal import TesseraFetch
internal import TesseraSystem
internal import TesseraWorkers

/// Adds files of the better format to images that are published, those that are worth most first, as long as the budget and
/// the run's time last.
///
/// An image that fails keeps its files and its line.
final class UpgradeLoop: Sendable {
  private let parts: RunParts
  private let way: FilesWay
  private let budget: Duration
  /// Images at a time: some wait for their bytes.
  private let window: Int
  private let progress = Mutex(Progress())

  private struct Progress {
    var isStopped = false
    var spent = Duration.zero
    var upgraded = 0
  }

  init(_ parts: RunParts, budget: Duration, workers: Int) {
    self.parts = parts
    self.budget = budget
    way = FilesWay(parts)
    window = 3 * workers
  }

  /// Starts no other image.
  func stop() { progress.withLock { $0.isStopped = true } }

  /// - Returns: how many images were upgraded.
  /// - Throws: what ends a run, or `CancellationError` if it was stopped.
  func run(_ items: [Item]) async throws -> Int {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var running = 0
      for item in items where goesOn {
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
    if end.isStopped { throw CancellationError() }
    parts.recorder.update { $0.upgradeSeconds = end.spent.inSeconds }
    return end.upgraded
  }

  private var goesOn: Bool {
    if let end = parts.fetcher.end, end <= .now { return false }
    return progress.withLock { !$0.isStopped && $0.spent < budget }
  }

  private func upgrade(_ item: Item) async throws {
    let turns = parts.turns
    let place = turns.queue.place(item.sourceKey)
    await turns.queue.turn(place)
    defer {
      parts.copies.run.release(item.sourceKey)
      turns.queue.leave(place)
    }
    // Between two images.
    guard goesOn else { return }
    let context = ItemContext(item.upgrading())
    let isUpgraded = try await way.upgrade(context)
    let time = context.watch?.time ?? .zero
    progress.withLock { progress in
      progress.spent += time
      if isUpgraded { progress.upgraded += 1 }
    }
    parts.recorder.addUpgrade(context, isUpgraded)
  }
}
