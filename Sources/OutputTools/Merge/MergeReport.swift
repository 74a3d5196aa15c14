internal import TesseraCatalog
internal import TesseraJSON

/// What `merge` made of the results of shards.
package struct MergeReport: Sendable, JSONDocument {
  package let schema = "tessera-merge/1"
  package var shards = 0
  package var images = 0
  /// Images by status.
  package var counts: [String: Int] = [:]
  /// Lines of the manifest that could not be used.
  package var problems = 0
  /// Files that came from other outputs.
  package var copied = 0
  package var copiedBytes = 0
  /// Files that were there before, and stay: those of a shard with the same names have other bytes.
  package var standing = 0
  /// The path of the catalog.
  package var catalog = ""

  private enum CodingKeys: String, CodingKey {
    case schema, catalog, shards, images, counts
    case problems = "manifestProblems"
    case copied, copiedBytes, standing
  }

  /// The counts that are there, the best status first.
  package var countsInOrder: [(status: String, count: Int)] {
    CatalogImage.Status.allCases.compactMap { status in
      counts[status.rawValue].map { (status.rawValue, $0) }
    }
  }

  /// As after a run of all items: exit status 1.
  package var hasFailures: Bool {
    counts["failed", default: 0] + counts["stale", default: 0] + problems > 0
  }
}
