internal import TesseraCatalog
internal import TesseraJSON
package import TesseraSystem

/// A document that names pages, which are catalogs of a part of the images each: `catalog/index.json` of all images,
/// `screens/feed/index.json` and `screens/feed/lookup.json` of what a screen needs.
package struct PageIndex: Sendable, Equatable {
  /// The number of images of all pages.
  package var count: Int { pages.reduce(0) { $0 + $1.count } }
  /// That of the catalog that the pages are of.
  package var digest: String
  package var pages: [Page]

  package struct Page: Sendable, Equatable {
    /// Named by its bytes, so that it never changes.
    package var path: String
    package var digest: String
    package var count: Int
    /// Its size.
    package var bytes: Int
    /// The leading bits of the hashes of its ids, in an index for looking up; else nil.
    package var prefix: String?
  }

  package var document: [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("schema", CatalogPages.schema)
      object.member("count", count)
      object.member("digest", digest)
      object.name("pages")
      object.array { list in
        for page in pages {
          list.object { entry in
            entry.member("path", page.path)
            entry.member("count", page.count)
            entry.member("bytes", page.bytes)
            entry.member("digest", page.digest)
            if let prefix = page.prefix { entry.member("prefix", prefix) }
          }
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  /// Whether a document is an index.
  static func isOurs(_ path: String, in output: any Output) async throws(SystemError) -> Bool {
    let start = String(decoding: try await output.read(path, 64, at: 0), as: UTF8.self)
    return start.hasPrefix("{\"schema\":\"\(CatalogPages.schema)\"")
  }

  /// The digest of the catalog that an index belongs to; nil if it is missing or damaged.
  static func catalogDigest(
    _ path: String, in output: any Output
  ) async throws(SystemError) -> String? {
    guard let bytes = try await output.document(path) else { return nil }
    return (try? JSONParser.parse(bytes))?["digest"]?.stringValue
  }

  /// An index in an output; nil if it has none there.
  package static func read(
    _ path: String, in output: any Output
  ) async throws(SystemError) -> PageIndex? {
    guard let bytes = try await output.document(path) else { return nil }
    let place = FileSystem.join(output.location, path)
    let json = try? JSONParser.parse(bytes)
    guard let list = json?["pages"]?.arrayValue else {
      throw .damaged(place, "expected a list of pages")
    }
    var index = PageIndex(digest: json?["digest"]?.stringValue ?? "", pages: [])
    for page in list {
      guard let path = page["path"]?.stringValue, CatalogPages.isPage(path),
        let bytes = page["bytes"]?.intValue
      else { throw .damaged(place, "expected a path such as catalog/3f9c….json in each page") }
      index.pages.append(
        Page(
          path: path, digest: page["digest"]?.stringValue ?? "",
          count: page["count"]?.intValue ?? 0, bytes: bytes, prefix: page["prefix"]?.stringValue))
    }
    return index
  }
}
