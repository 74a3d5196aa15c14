internal import TesseraFetch
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Handles the answer "not modified". If it turns out to be of no use, the source is requested again,
/// changed or not.
struct Revalidate: Step {
  private let copies: SourceCopies
  private let freshness: FreshnessPolicy
  private let clock: WallClock
  private let ignoredQuery: [String]

  init(_ parts: RunParts) {
    copies = parts.copies
    freshness = parts.freshness
    clock = parts.clock
    ignoredQuery = parts.file.fetch.ignoredQuery
  }

  func perform(_ work: Work) async throws -> StepDecision {
    guard let response = work.response else {
      throw PipelineError.local("the item \"\(work.item.id)\" has no answer to revalidate")
    }
    work.reasons.append(.notModified)
    if let rejection = work.question.rejection, rejection.etag != nil {
      // The ETag belongs to the place that the redirects led to at that time.
      if rejection.place == RejectionPolicy.place(of: response) {
        return .done(.failed(ItemFailure(rejection)))
      }
      return askAgain(work)
    }
    guard let record = work.source.record, let (content, blueprint) = work.source.shown else {
      throw PipelineError.local("an unknown source cannot be unchanged: \"\(work.item.id)\"")
    }
    work.change.source = record.confirmed(
      by: response, freshness, ignoring: ignoredQuery, now: clock.now())
    // The server has the good bytes again, whatever was rejected in between.
    work.change.rejection = .forget
    // The confirmed bytes are newer than the rejected ones, also if the source is requested again.
    work.source.rejection = nil
    if work.source.isReady { return .done(.shown(content, blueprint)) }
    // A copy that turns out to be damaged is dropped, and the source is requested.
    return copies.restore(work) ? .goTo(.plan) : askAgain(work)
  }

  private func askAgain(_ work: Work) -> StepDecision {
    work.needsBytes = true
    return .goTo(.ask)
  }
}

extension SourceRecord {
  /// - Parameters:
  ///   - before: what the answer may leave out, because it has not changed.
  init(
    _ content: String, _ response: FetchResponse, before: SourceRecord?,
    _ freshness: FreshnessPolicy, ignoring ignoredQuery: [String], now: Double
  ) {
    self.init(
      content: content,
      confirmation: freshness.confirmation(response, before: before?.confirmation, now: now),
      url: SourceURL.shown(response.url, ignoring: ignoredQuery),
      robots: response.robots ?? before?.robots)
  }

  /// The record after a "not modified".
  fileprivate func confirmed(
    by response: FetchResponse, _ freshness: FreshnessPolicy, ignoring ignoredQuery: [String],
    now: Double
  ) -> SourceRecord {
    SourceRecord(content, response, before: self, freshness, ignoring: ignoredQuery, now: now)
  }
}
