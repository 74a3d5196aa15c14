internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraManifest
internal import TesseraPlan

/// Turns one line of the manifest into one line of the catalog.
///
/// What goes wrong with an item becomes part of its result. Only what would hit every item alike
/// (no space, no workers) is thrown.
protocol ItemRunning: Sendable {
  /// - Parameters:
  ///   - position: the item's place in the manifest; no other item has it.
  ///   - finding: what another item of this run, with the same source, has found out about it.
  func result(
    for entry: ManifestEntry, position: Int, finding: ItemFinding?
  ) async throws -> ItemResult
}

/// What is known of a source that there is nothing to show of, for the next item that names it in the same run.
enum ItemFinding: Sendable {
  case unreachable(FetchError)
  case refused(Intake.Refusal)
  case undecodable(CatalogImage.Failure, format: String?, size: Size?)

  /// Whether the source's bytes are at fault, wherever they come from.
  var isOfBytes: Bool { if case .undecodable = self { true } else { false } }
}

/// What became of an item.
final class ItemResult: Sendable {
  /// Its line of the catalog.
  let image: CatalogImage
  let finding: ItemFinding?
  /// What was decided and why: clauses, with semicolons between them. For `tessera why`.
  let reason: String
  /// SHA-256 of the source's bytes, where they are known.
  let content: String?

  init(
    _ image: CatalogImage, _ reason: String, content: String? = nil, finding: ItemFinding? = nil
  ) {
    self.image = image
    self.reason = reason
    self.content = content
    self.finding = finding
  }

  /// The same line, for another reason.
  @inline(never)
  func because(_ reason: String, content: String?) -> ItemResult {
    ItemResult(image, reason, content: content, finding: finding)
  }
}
