internal import TesseraJSON
internal import TesseraOutput
internal import TesseraSystem

/// The catalogs that an output keeps beside the current one.
struct KeptCatalogList: Sendable, JSONDocument {
  struct Entry: Sendable, Encodable {
    /// 1 for the newest.
    var number: Int
    /// When it was replaced, in UTC.
    var time: String
    /// How long ago, in seconds.
    var age: Double
    /// Nil if an older version wrote the catalog.
    var images: Int?
    var bytes: Int
    var digest: String
    /// Relative to the output.
    var path: String
    /// Until when it is kept at the latest, in UTC; nil if only the order counts.
    var until: String?

    private enum CodingKeys: String, CodingKey {
      case number
      case time = "replaced"
      case images, bytes, digest, path, until
    }

    init(_ kept: KeptCatalog, number: Int, now: Double) {
      self.number = number
      time = Host.timestamp(Double(kept.time))
      age = max(0, now - Double(kept.time))
      (images, bytes, digest) = (kept.images, kept.bytes, kept.digest)
      path = kept.path
    }
  }

  let schema = "tessera-rollback-list/1"
  var catalogs: [Entry]
}

/// What `rollback` did.
struct RollbackReport: Sendable, JSONDocument {
  let schema = "tessera-rollback/1"
  /// The catalog that is the current one again.
  var catalog: KeptCatalogList.Entry
  private(set) var images = 0
  /// Images by status.
  private(set) var counts: [String: Int] = [:]
  /// The files that it names, all of which were found.
  var files = 0
  /// Whether there was a catalog, which is kept now.
  var hasReplaced = false
  /// What could not be written after it: a clause; nil if all was.
  var warning: String?

  private enum CodingKeys: CodingKey { case schema, catalog, images, counts, files, warning }

  init(_ kept: KeptCatalog, number: Int, now: Double) {
    catalog = KeptCatalogList.Entry(kept, number: number, now: now)
  }

  mutating func count(_ status: String) {
    images += 1
    counts[status, default: 0] += 1
  }
}
