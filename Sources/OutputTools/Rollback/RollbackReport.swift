internal import TesseraJSON
internal import TesseraOutput
internal import TesseraSystem

/// The catalogs that an output keeps beside the current one.
package struct KeptCatalogList: Sendable {
  package struct Entry: Sendable {
    /// 1 for the newest.
    package var number: Int
    /// When it was replaced, in UTC.
    package var time: String
    /// How long ago, in seconds.
    package var age: Double
    /// Nil if an older version wrote the catalog.
    package var images: Int?
    package var bytes: Int
    package var digest: String
    /// Relative to the output.
    package var path: String
    /// The index of its pages.
    package var index: String?

    init(_ kept: KeptCatalog, number: Int, now: Double) {
      self.number = number
      time = Host.timestamp(Double(kept.time))
      age = max(0, now - Double(kept.time))
      (images, bytes, digest) = (kept.images, kept.bytes, kept.digest)
      (path, index) = (kept.path, kept.companions[PageFolder.whole.index])
    }

    func write(to entry: inout JSONWriter) {
      entry.member("number", number)
      entry.member("replaced", time)
      if let images { entry.member("images", images) }
      entry.member("bytes", bytes)
      entry.member("digest", digest)
      entry.member("path", path)
      if let index { entry.member("index", index) }
    }
  }

  package var catalogs: [Entry]

  /// The document that `rollback --list --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.name("catalogs")
      object.array { list in for entry in catalogs { list.object { entry.write(to: &$0) } } }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

/// What `rollback` did.
package struct RollbackReport: Sendable {
  /// The catalog that is the current one again.
  package var catalog: KeptCatalogList.Entry
  package private(set) var images = 0
  /// Images by status.
  package private(set) var counts: [String: Int] = [:]
  /// The files that it names, all of which were found.
  package var files = 0
  /// Whether there was a catalog, which is kept now.
  package var hasReplaced = false
  /// What could not be written after it: a clause; nil if all was.
  package internal(set) var warning: String?

  init(_ kept: KeptCatalog, number: Int, now: Double) {
    catalog = KeptCatalogList.Entry(kept, number: number, now: now)
  }

  mutating func count(_ status: String) {
    images += 1
    counts[status, default: 0] += 1
  }

  /// The document that `rollback --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.name("catalog")
      object.object { catalog.write(to: &$0) }
      object.member("images", images)
      object.name("counts")
      object.object { list in
        for (status, count) in counts.sorted(by: { $0.key < $1.key }) { list.member(status, count) }
      }
      object.member("files", files)
      if let warning { object.member("warning", warning) }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
