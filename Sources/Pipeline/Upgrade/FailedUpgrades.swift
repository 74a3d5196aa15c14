internal import TesseraBytes
internal import TesseraState
internal import TesseraSystem

/// Images of which a worker could make no files of a better format. They are left alone as rejected sources are, so that
/// none of them takes the budget of every run.
struct FailedUpgrades: Sendable {
  private let state: StateStore
  private let rejections: RejectionPolicy
  private let clock: WallClock

  init(_ parts: RunParts) {
    state = parts.state
    rejections = parts.rejections
    clock = parts.clock
  }

  private static func key(_ item: Item) -> String {
    SHA256.of("upgrade \(item.requestDigest)")
  }

  /// Whether that is believed of the bytes that are known.
  func hasFailed(_ item: Item, _ known: Known) async throws -> Bool {
    let record = rejections.current(try await state.failedUpgrade(Self.key(item)))
    guard let believed = rejections.believed(record, now: known.now) else { return false }
    return believed.content == known.source.record?.content
  }

  /// - Parameter context: with what is remembered of a failure that the bytes caused.
  func note(_ done: Done, _ context: ItemContext) async throws {
    guard case .failed(let failure, _) = done.outcome,
      let content = done.source.record?.content
    else { return }
    let key = Self.key(context.item)
    let change = rejections.change(
      after: failure, content: content, nil, previous: try await state.failedUpgrade(key),
      now: clock.now())
    guard case .save(let record)? = change else { return }
    try await state.noteFailedUpgrade(key, record)
  }
}
