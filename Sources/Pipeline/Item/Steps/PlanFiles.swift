internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// Plans the files of received bytes. Bytes that are known need no decode.
final class PlanFiles: Sendable {
  private let state: StateStore
  private let planner: FilePlanner
  private let acceptance: Acceptance
  private let rejections: RejectionPolicy
  /// One item at a time works on a content.
  private let contents: KeyedQueue
  private let clock: WallClock
  /// Whether all files are made again.
  private let refreshes: Bool

  init(_ runContext: RunContext) {
    state = runContext.state
    planner = runContext.planner
    acceptance = runContext.acceptance
    rejections = runContext.rejections
    contents = runContext.contents
    clock = runContext.clock
    refreshes = runContext.freshness.refreshes
  }

  @inline(never)
  func perform(_ received: Received, _ context: ItemContext) async throws -> Stage {
    let (digest, format) = (received.bytes.digest, received.bytes.content.format)
    if let seen = received.seen {
      return .planned(
        Planned(
          received,
          try await planner.filePlan(
            digest, format, seen, for: context.item, makesAll: refreshes)))
    }
    // Before the look-up: of two items with the same bytes, the second one then finds the files of
    // the first. When the decoder has corrected the size, the turn is taken already.
    await takeTurn(context, digest)
    let content = try await state.contentRecord(digest)
    if let content, !refreshes {
      let filePlan = try await planner.filePlan(
        digest, content.format, content.facts, for: context.item)
      if filePlan.isComplete, acceptance.accepts(content), acceptance.isExamined(content) {
        context.reasons.append(.knownBytes)
        return .complete(Complete(received, content, filePlan))
      }
    }
    if let failure = believedFailure(received, context) {
      return .done(received.known.source, .failed(failure, isRemembered: true))
    }
    let filePlan = try await planner.filePlan(
      digest, format, content?.facts ?? received.bytes.content.facts, for: context.item,
      isNew: content == nil, makesAll: refreshes)
    return .planned(Planned(received, filePlan))
  }

  private func takeTurn(_ context: ItemContext, _ digest: String) async {
    let contents = contents
    let place = contents.place(digest)
    await contents.turn(place)
    context.atEnd { contents.leave(place) }
  }

  /// Why these bytes could not be decoded, if that is remembered and believed.
  private func believedFailure(_ received: Received, _ context: ItemContext) -> ItemFailure? {
    let (source, bytes) = (received.known.source, received.bytes)
    let now = clock.now()
    guard let rejection = rejections.believed(source.rejection, now: now),
      rejection.content == bytes.digest, rejection.kind == .undecodable
    else { return nil }
    context.reasons.append(RejectionPolicy.backOff(rejection) ?? .rejectedBefore)
    let failure = ItemFailure(rejection)
    if let response = bytes.response {
      context.remember(
        rejections.change(
          after: failure, content: bytes.digest, response, previous: source.rejection,
          now: now))
    }
    return failure
  }
}
