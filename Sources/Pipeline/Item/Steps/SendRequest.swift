internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// Makes the request and receives the source: its header from the first bytes, then all of it into the
/// spool.
final class SendRequest: Sendable {
  private let transfer: SourceTransfer
  private let fetcher: any Fetching
  private let workspace: Workspace
  /// At this number of sources in the spool, fetching waits for the workers.
  private let spoolLimit: Int

  init(_ runContext: RunContext) {
    transfer = SourceTransfer(
      fetcher: runContext.fetcher, settings: runContext.file.fetch,
      acceptance: runContext.acceptance,
      recorder: runContext.recorder)
    fetcher = runContext.fetcher
    workspace = runContext.workspace
    // A few more than transfers, so that no worker waits for the network.
    spoolLimit = runContext.file.fetch.concurrency + 8
  }

  @inline(never)
  func perform(_ pending: PendingRequest, _ context: ItemContext) async throws -> Stage {
    .answered(pending, try await answer(pending.conditions.condition, context))
  }

  @inline(never)
  func answer(_ condition: Condition?, _ context: ItemContext) async throws -> Answer {
    let spool = workspace.spool("\(context.item.position)")
    return answer(try await transfer.fetch(context, condition, to: spool), context)
  }

  @inline(never)
  private func answer(_ outcome: SourceTransfer.Outcome, _ context: ItemContext) -> Answer {
    switch outcome {
    case .failed(let error): return .failed(error)
    case .notModified(let response): return .notModified(response)
    case .arrived(let response, let receiver, .rejected(let rejection)):
      receiver.discard()
      return .rejected(rejection, response)
    case .arrived(let response, let receiver, .image(let header, let bytes)):
      let (fetcher, limit) = (fetcher, spoolLimit)
      fetcher.hold(1, limit: limit)
      context.atEnd {
        receiver.discard()
        fetcher.hold(-1, limit: limit)
      }
      return .arrived(
        SourceBytes(
          place: bytes.place, count: bytes.count, digest: bytes.digest,
          content: ContentRecord(header), response: response))
    }
  }
}

/// Asks the server whether the source of a line has changed. If it has not, and the line would say the
/// same, nothing else of the item is looked at.
final class ConfirmLine: Sendable {
  private let sendRequest: SendRequest
  private let confirmer: SourceConfirmer

  init(_ sendRequest: SendRequest, _ runContext: RunContext) {
    self.sendRequest = sendRequest
    confirmer = runContext.confirmer
  }

  @inline(never)
  func perform(_ line: LineReuse.Line, _ context: ItemContext) async throws -> Stage {
    stage(line, try await sendRequest.answer(line.verdict.conditions.condition, context), context)
  }

  func stage(_ line: LineReuse.Line, _ answer: Answer, _ context: ItemContext) -> Stage {
    guard case .notModified(let response) = answer else { return .unconfirmed(line, answer) }
    let source = confirmer.record(line.record.content, response, before: line.record)
    // The line may show what the server now says.
    guard source.isShown(like: line.record) else { return .unconfirmed(line, answer) }
    context.reasons.append(.notModified)
    context.change.source = source
    return .confirmed(line)
  }
}

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
