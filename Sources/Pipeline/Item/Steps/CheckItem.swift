internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraText

/// Rejects an item that names a slot which the pipeline does not have, or that an image service cannot fetch.
final class CheckItem: Sendable {
  /// The pipeline's slots.
  private let names: [String]
  private let isDelivered: Bool

  init(_ runContext: RunContext) {
    names = runContext.file.plan.slots.map(\.name)
    isDelivered = runContext.file.deliveringService != nil
  }

  func failure(of item: Item) -> ItemFailure? {
    if let unknown = item.slots?.first(where: { !names.contains($0) }) {
      return .unknownSlot(unknown, known: names)
    }
    guard isDelivered, !SourceURL.isFetchable(item.shownURL) else { return nil }
    return .unreachable(
      FetchError(.badURL, "an image service fetches http(s) URLs only (\"delivery\")"))
  }
}
