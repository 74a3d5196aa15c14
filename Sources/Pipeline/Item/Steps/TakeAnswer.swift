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

  init(_ parts: RunParts) {
    copies = parts.copies
    confirmer = parts.confirmer
    freshness = parts.freshness
    rejections = parts.rejections
    clock = parts.clock
  }

  func perform(_ asked: Asked, _ answer: Answer, _ context: ItemContext) -> Stage {
    let (source, question) = (asked.known.source, asked.question)
    switch answer {
    case .failed(let error): return .done(source, .failed(.unreachable(error)))
    case .refused(let refusal, let response):
      let failure = ItemFailure.refused(refusal)
      context.remember(
        rejections.change(
          after: failure, content: nil, response, previous: source.rejection, now: clock.now()))
      return .done(source, .failed(failure))
    case .arrived(let bytes):
      context.reasons.append(freshness.change(source, to: bytes.digest, bytes.response))
      return .received(Received(asked.known, bytes))
    case .notModified(let response):
      context.reasons.append(.notModified)
      if let rejection = question.rejection {
        if let reason = RejectionPolicy.backOff(rejection) { context.reasons.append(reason) }
        return .done(source, .failed(ItemFailure(rejection), isRemembered: true))
      }
      return confirm(asked, response, context)
    }
  }

  /// The known bytes are what the server has.
  private func confirm(
    _ asked: Asked, _ response: FetchResponse, _ context: ItemContext
  ) -> Stage {
    var source = asked.known.source
    guard asked.question.condition != nil else {
      return .done(source, .failed(.unreachable(.uselessNotModified)))
    }
    guard let record = source.record, let (content, filePlan) = source.shown else {
      return .asking(Asked(asked.known, Question()))
    }
    context.change.source = confirmer.record(record.content, response, before: record)
    // The server has these bytes again, whatever other bytes were rejected in between.
    if source.rejection?.content != record.content {
      context.change.rejection = .forget
      // Also if the source is requested again.
      source.rejection = nil
    }
    if source.isFinished { return .done(source, .shown(content, filePlan)) }
    let confirmed = Known(source, asked.known.verdict, now: asked.known.now)
    // A copy that turns out to be damaged is dropped, and the source is requested.
    guard let copy = copies.restore(source, for: context) else {
      return .asking(Asked(confirmed, Question()))
    }
    return .received(Received(confirmed, copy))
  }
}
