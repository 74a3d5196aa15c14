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
