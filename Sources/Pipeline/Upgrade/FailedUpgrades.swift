internal import TesseraState
internal import TesseraSystem

/// Images of which no files of a better format could be made. They are left alone as rejected sources are, so that none of
/// them takes the budget, or requests, of every run.
final class FailedUpgrades: Sendable {
  private let state: StateStore
  private let verdicts: Verdicts
  private let clock: WallClock

  init(_ runContext: RunContext) {
    state = runContext.state
    verdicts = runContext.verdicts
    clock = runContext.clock
  }

  /// Whether that is believed of the bytes that are known.
  func hasFailed(_ item: Item, _ known: Known) async throws -> Bool {
    verdicts.leavesAlone(
      known.source, afterUpgrade: try await state.failedUpgrade(of: item.requestKey), now: known.now
    )
  }

  /// What came of an item that was not upgraded; remembers it.
  func note(_ done: Done, _ context: ItemContext) async throws -> UpgradeEnd {
    guard case .failed(let failure, _) = done.outcome else { return .failed }
    let isUnreached = if case .unreachable = failure { true } else { false }
    if let content = done.source.record?.content,
      let record = verdicts.rejections.failedUpgrade(
        failure, content: content,
        previous: try await state.failedUpgrade(of: context.item.requestKey), now: clock.now())
    {
      try await state.noteFailedUpgrade(of: context.item.requestKey, record)
    }
    return isUnreached ? .unreached : .failed
  }
}

/// What came of adding files of a better format to an image.
enum UpgradeEnd {
  case upgraded
  case failed
  /// Its bytes could not be had.
  case unreached
}
