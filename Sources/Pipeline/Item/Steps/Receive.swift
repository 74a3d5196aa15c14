internal import TesseraFetch
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// Makes the request and receives the source: its header from the first bytes, then all of it into the
/// spool.
struct Receive: Step {
  private let transfer: SourceTransfer
  private let lookUp: LookUp
  private let fetcher: any Fetching
  private let workspace: Workspace
  private let freshness: FreshnessPolicy
  private let rejections: RejectionPolicy
  private let clock: WallClock
  /// At this number of sources in the spool, fetching waits for the workers.
  private let spoolLimit: Int

  init(_ parts: RunParts) {
    transfer = SourceTransfer(
      fetcher: parts.fetcher, settings: parts.file.fetch, acceptance: parts.acceptance,
      recorder: parts.recorder)
    lookUp = LookUp(parts)
    fetcher = parts.fetcher
    workspace = parts.workspace
    freshness = parts.freshness
    rejections = parts.rejections
    clock = parts.clock
    // A few more than transfers, so that no worker waits for the network.
    spoolLimit = parts.file.fetch.concurrency + 8
  }

  func perform(_ work: Work) async throws -> StepDecision {
    let item = work.item
    let spool = workspace.spool("\(item.position)")
    let outcome = try await transfer.fetch(work, to: spool)
    if case .notModified = outcome {} else { try await lookUp.complete(work) }
    switch outcome {
    case .failed(let error): return .done(.failed(.unreachable(error)))
    case .notModified(let response):
      work.response = response
      return .next
    case .arrived(let response, let intake, .refused(let refusal)):
      intake.discard()
      let failure = ItemFailure.refused(refusal)
      work.remember(
        rejections.change(
          after: failure, content: nil, response, previous: work.source.rejection,
          now: clock.now()))
      return .done(.failed(failure))
    case .arrived(let response, let intake, .image(let header, let bytes)):
      let (fetcher, limit) = (fetcher, spoolLimit)
      fetcher.hold(1, limit: limit)
      work.atEnd {
        intake.discard()
        fetcher.hold(-1, limit: limit)
      }
      work.response = response
      work.bytes = SourceBytes(
        place: bytes.place, count: bytes.count, digest: bytes.digest, header: HeaderFacts(header),
        isCopy: false)
      work.reasons.append(freshness.change(work.source, to: bytes.digest, response))
      // Past `revalidate`, which handles answers without a body.
      return .goTo(.plan)
    }
  }
}
