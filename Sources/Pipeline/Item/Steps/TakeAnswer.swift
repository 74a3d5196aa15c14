internal import TesseraNet
internal import TesseraState
internal import TesseraSystem

/// Takes what the server answered. If a "not modified" turns out to be of no use, the source is requested
/// again, changed or not.
final class TakeAnswer: Sendable {
  private let copies: SourceCopies
  private let confirmer: SourceConfirmer
  private let freshness: FreshnessPolicy
  private let rejections: RejectionPolicy
  private let clock: WallClock

  init(_ runContext: RunContext) {
    copies = runContext.copies
    confirmer = runContext.confirmer
    freshness = runContext.freshness
    rejections = runContext.rejections
    clock = runContext.clock
  }

  func perform(_ pending: PendingRequest, _ answer: Answer, _ context: ItemContext) -> Stage {
    let (source, conditions) = (pending.known.source, pending.conditions)
    switch answer {
    case .failed(let error): return .done(source, .failed(.unreachable(error)))
    case .rejected(let rejection, let response):
      let failure = ItemFailure.rejected(rejection)
      context.remember(
        rejections.change(
          after: failure, content: nil, response, previous: source.rejection, now: clock.now()))
      return .done(source, .failed(failure))
    case .arrived(let bytes):
      context.reasons.append(freshness.change(source, to: bytes.digest, bytes.response))
      return .received(Received(pending.known, bytes))
    case .notModified(let response):
      context.reasons.append(.notModified)
      if let rejection = conditions.rejection {
        if let reason = RejectionPolicy.backOff(rejection) { context.reasons.append(reason) }
        return .done(source, .failed(ItemFailure(rejection), isRemembered: true))
      }
      return confirm(pending, response, context)
    }
  }

  /// The known bytes are what the server has.
  private func confirm(
    _ pending: PendingRequest, _ response: FetchResponse, _ context: ItemContext
  ) -> Stage {
    var source = pending.known.source
    guard pending.conditions.condition != nil else {
      return .done(source, .failed(.unreachable(.uselessNotModified)))
    }
    guard let record = source.record, let (content, filePlan) = source.shown else {
      return .requesting(PendingRequest(pending.known, Conditions()))
    }
    context.change.source = confirmer.record(record.content, response, before: record)
    // The server has these bytes again, whatever other bytes were rejected in between.
    if source.rejection?.content != record.content {
      context.change.rejection = .forget
      // Also if the source is requested again.
      source.rejection = nil
    }
    if source.isFinished { return .done(source, .shown(content, filePlan)) }
    let confirmed = Known(source, pending.known.verdict, now: pending.known.now)
    // A copy that turns out to be damaged is dropped, and the source is requested.
    guard let copy = copies.restore(source, for: context) else {
      return .requesting(PendingRequest(confirmed, Conditions()))
    }
    return .received(Received(confirmed, copy))
  }
}
