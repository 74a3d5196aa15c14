internal import TesseraCatalog
internal import TesseraJSON

/// What `merge` made of the results of shards.
struct MergeReport: Sendable, JSONDocument {
  let schema = "tessera-merge/1"
  var shards = 0
  var images = 0
  /// Images by status.
  var counts: [String: Int] = [:]
  /// Lines of the manifest that could not be used.
  var problems = 0
  /// Files that came from other outputs.
  var copied = 0
  var copiedBytes = 0
  /// Files that were there before, and stay: those of a shard with the same names have other bytes.
  var standing = 0
  /// The path of the catalog.
  var catalog = ""

  private enum CodingKeys: String, CodingKey {
    case schema, catalog, shards, images, counts
    case problems = "manifestProblems"
    case copied, copiedBytes, standing
  }

  /// The counts that are there, the best status first.
  var countsInOrder: [(status: String, count: Int)] {
    CatalogImage.Status.allCases.compactMap { status in
      counts[status.rawValue].map { (status.rawValue, $0) }
    }
  }

  /// As after a run of all items: exit status 1.
  var hasFailures: Bool {
    counts["failed", default: 0] + counts["stale", default: 0] + problems > 0
  }
}
