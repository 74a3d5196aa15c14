internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Plans the files of received bytes. Bytes that are known need no decode.
struct PlanFiles: Step {
  private let state: StateStore
  private let planner: FilePlanner
  private let acceptance: Acceptance
  private let rejections: RejectionPolicy
  /// One item at a time works on a content.
  private let contents: KeyedQueue
  private let clock: WallClock

  init(_ parts: RunParts) {
    state = parts.state
    planner = parts.planner
    acceptance = parts.acceptance
    rejections = parts.rejections
    contents = parts.contents
    clock = parts.clock
  }

  func perform(_ work: Work) async throws -> StepDecision {
    guard let bytes = work.bytes else {
      throw PipelineError.local("the item \"\(work.item.id)\" has no bytes to plan for")
    }
    // Only at the first time: when the decoder has corrected the size, the turn is taken already.
    // Before the look-up: of two items with the same bytes, the second one then finds the files of
    // the first.
    if work.seen == nil { await takeTurn(work, bytes.digest) }
    var facts = work.seen ?? bytes.header.facts
    var isNew = false
    if work.seen == nil {
      if let content = try await state.contentRecord(bytes.digest) {
        let filePlan = try await planner.filePlan(
          bytes.digest, content.format, content.facts, for: work.item)
        if filePlan.isComplete, acceptance.accepts(content) {
          work.reasons.append(.knownBytes)
          work.filePlan = filePlan
          work.source.content = content
          return .goTo(.keep)
        }
        facts = content.facts
      } else {
        isNew = true
      }
      if let failure = believedFailure(work, bytes) { return .done(.failed(failure)) }
    }
    work.filePlan = try await planner.filePlan(
      bytes.digest, bytes.header.format, facts, for: work.item, isNew: isNew)
    return .next
  }

  private func takeTurn(_ work: Work, _ digest: String) async {
    let contents = contents
    let place = contents.place(digest)
    await contents.turn(place)
    work.atEnd { contents.leave(place) }
  }

  /// Why these bytes could not be decoded, if that is remembered and believed.
  private func believedFailure(_ work: Work, _ bytes: SourceBytes) -> ItemFailure? {
    let now = clock.now()
    guard let rejection = rejections.believed(work.source.rejection, now: now),
      rejection.content == bytes.digest, rejection.kind == .undecodable
    else { return nil }
    work.reasons.append(RejectionPolicy.backOff(rejection) ?? .rejectedBefore)
    work.isRemembered = true
    let failure = ItemFailure(rejection)
    if !bytes.isCopy, let response = work.response {
      work.remember(
        rejections.change(
          after: failure, content: bytes.digest, response, previous: work.source.rejection,
          now: now))
    }
    return failure
  }
}
