internal import TesseraCatalog

/// What the scheduler learns of an item that has gone its way.
struct ItemDone: Sendable {
  var id: String
  var status: CatalogImage.Status
  var error: CatalogImage.Failure?
  /// For other items with the same request; nil if this one could be shown.
  var finding: Finding?
}
