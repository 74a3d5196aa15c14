internal import TesseraFetch
internal import TesseraState

/// Handles the answer "not modified". If it turns out to be of no use, the source is requested again,
/// changed or not.
struct Revalidate: Step {
  private let copies: SourceCopies
  private let confirmer: SourceConfirmer
  private let lookUp: LookUp

  init(_ parts: RunParts) {
    lookUp = LookUp(parts)
    copies = parts.copies
    confirmer = parts.confirmer
  }

  func perform(_ work: Work) async throws -> StepDecision {
    guard let response = work.response else {
      throw PipelineError.local("the item \"\(work.item.id)\" has no answer to revalidate")
    }
    work.reasons.append(.notModified)
    if let verdict = work.standing {
      let source = confirmer.record(verdict.record.content, response, before: verdict.record)
      if source.isShown(like: verdict.record) {
        work.change.source = source
        return .keepLine(verdict)
      }
      // The line may show what the server now says.
      try await lookUp.complete(work)
    }
    if let rejection = work.question.rejection, rejection.condition != nil {
      if let reason = RejectionPolicy.backOff(rejection) { work.reasons.append(reason) }
      work.isRemembered = true
      return .done(.failed(ItemFailure(rejection)))
    }
    guard let record = work.source.record, let (content, filePlan) = work.source.shown else {
      throw PipelineError.local("an unknown source cannot be unchanged: \"\(work.item.id)\"")
    }
    work.change.source = confirmer.record(record.content, response, before: record)
    // The server has these bytes again, whatever other bytes were rejected in between.
    if work.source.rejection?.content != record.content {
      work.change.rejection = .forget
      // Also if the source is requested again.
      work.source.rejection = nil
    }
    if work.source.isReady { return .done(.shown(content, filePlan)) }
    // A copy that turns out to be damaged is dropped, and the source is requested.
    if copies.restore(work) { return .goTo(.plan) }
    work.needsBytes = true
    return .goTo(.ask)
  }
}

extension SourceRecord {
  /// Whether a line of the catalog says the same of both.
  fileprivate func isShown(like other: SourceRecord) -> Bool {
    content == other.content && url == other.url && robots == other.robots
      && confirmation.etag == other.confirmation.etag
      && confirmation.lastModified == other.confirmation.lastModified
  }
}
