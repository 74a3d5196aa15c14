internal import TesseraCatalog
internal import TesseraJSON

/// What `merge` made of the results of shards.
package struct MergeReport: Sendable {
  package var shards = 0
  package var images = 0
  /// Images by status.
  package var counts: [String: Int] = [:]
  /// Lines of the manifest that could not be used.
  package var problems = 0
  /// Files that came from other outputs.
  package var copied = 0
  package var copiedBytes = 0
  /// The path of the catalog.
  package var catalog = ""

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

  /// The document that `merge --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("catalog", catalog)
      object.member("shards", shards)
      object.member("images", images)
      object.name("counts")
      object.object { list in
        for (status, count) in counts.sorted(by: { $0.key < $1.key }) { list.member(status, count) }
      }
      object.member("manifestProblems", problems)
      object.member("copied", copied)
      object.member("copiedBytes", copiedBytes)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
