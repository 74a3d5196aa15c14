internal import TesseraFetch
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraText

/// Refuses an item that names a slot which the pipeline does not have, or that an image service cannot fetch.
struct CheckItem: Step {
  /// The pipeline's slots.
  private let names: [String]
  private let isDelivered: Bool

  init(_ parts: RunParts) {
    names = parts.file.plan.slots.map(\.name)
    isDelivered = parts.file.deliveringService != nil
  }

  func perform(_ work: Work) async throws -> StepDecision {
    if let unknown = work.item.slots?.first(where: { !names.contains($0) }) {
      return .done(.failed(.unknownSlot(unknown, known: names)))
    }
    guard isDelivered, !SourceURL.isFetchable(work.item.shownURL) else { return .next }
    return .done(
      .failed(
        .unreachable(
          FetchError(.badURL, "an image service fetches http(s) URLs only (\"delivery\")"))))
  }
}
