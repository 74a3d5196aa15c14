internal import TesseraJSON

/// An index of pages: of a catalog, `catalog/index.json`, which a run writes with `catalog: {pages: 1000}`, or of a screen,
/// `screens/feed/index.json` and `screens/feed/lookup.json` (`catalog: {screens: …}`). Each page is a
/// catalog of some of the images, so that an app reads what it shows, and after an update only the pages that are new:
///
///     let pages = try CatalogPages(reading: index)
///     let first = try Catalog(reading: bytes(of: pages.pages[0].path))
///
/// A page is named by its bytes, so it never changes and may be cached forever.
public struct CatalogPages: Sendable, Hashable {
  /// The index's schema and major version.
  public static let schema = "tessera-catalog-pages/1"

  /// The number of images of all pages.
  public var count: Int
  /// The ``Catalog/digest`` of the whole catalog.
  public var digest: String
  /// In the order of the images; in `lookup.json` in that of the hashes of their ids.
  public var pages: [Page]

  /// A part of the images.
  public struct Page: Sendable, Hashable, Identifiable {
    /// Relative to the folder of `catalog.json`.
    public var path: String
    /// The number of images.
    public var count: Int
    /// The file's size.
    public var bytes: Int
    /// The ``Catalog/digest`` of the page.
    public var digest: String
    /// In `lookup.json`: the leading bits, `0` and `1`, of the SHA-256 of each id that the page has. Else nil.
    public var prefix: String?

    /// The same as ``path``.
    public var id: String { path }
  }

  /// Reads an index.
  ///
  /// - Parameter bytes: of `catalog/index.json`.
  /// - Throws: ``CatalogError``, which states the line, the column, the member and the reason.
  public init(reading bytes: some Sequence<UInt8>) throws(CatalogError) {
    var buffer = CatalogBuffer()
    buffer.append(bytes)
    var scanner = buffer.scanner
    var found = (count: Int?.none, digest: String?.none, pages: [Page]?.none, isOurs: false)
    try buffer.located { () throws(JSONScanner.Failure) in
      try scanner.object { scanner, name throws(JSONScanner.Failure) in
        switch name {
        case "schema": found.isOurs = try scanner.string() == Self.schema
        case "count": found.count = try scanner.int()
        case "digest": found.digest = try scanner.string()
        case "pages": found.pages = try Page.list(&scanner)
        default: try scanner.skip()
        }
      }
    }
    guard found.isOurs, let count = found.count, let digest = found.digest, let pages = found.pages
    else { throw buffer.error("expected \"\(Self.schema)\" with count, digest and pages") }
    (self.count, self.digest, self.pages) = (count, digest, pages)
  }

  /// The one page of `lookup.json` that has an image, if the catalog has it; nil in an index without prefixes.
  public func page(of id: String) -> Page? {
    let hash = TableHash.of(id)
    return pages.first { page in page.prefix.map { TablePrefix.matches($0, hash) } ?? false }
  }

  /// Whether a path is that of a page. Paths are joined to URLs, so they lead nowhere else.
  package static func isPage(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let isFolder =
      parts.count == 2 && parts[0] == "catalog"
      || parts.count == 3 && parts[0] == "screens" && CatalogScreen.isName(parts[1])
    guard isFolder, let name = parts.last, name.hasSuffix(".json") else { return false }
    let digits = name.utf8.dropLast(".json".utf8.count)
    return digits.count == 32
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// The pages that are not in an older index: what an app with that one has to fetch.
  public func pages(newSince old: CatalogPages) -> [Page] {
    let known = Set(old.pages.map(\.path))
    return pages.filter { !known.contains($0.path) }
  }
}

extension CatalogPages.Page {
  fileprivate static func list(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> [CatalogPages.Page] {
    var pages: [CatalogPages.Page] = []
    try scanner.array { scanner throws(JSONScanner.Failure) in
      scanner.skipSpace()
      let start = scanner.offset
      var page = CatalogPages.Page(path: "", count: 0, bytes: 0, digest: "")
      try scanner.object { scanner, name throws(JSONScanner.Failure) in
        switch name {
        case "path": page.path = try scanner.string()
        case "count": page.count = try scanner.int()
        case "bytes": page.bytes = try scanner.int()
        case "digest": page.digest = try scanner.string()
        case "prefix": page.prefix = try scanner.string()
        default: try scanner.skip()
        }
      }
      guard CatalogPages.isPage(page.path) else {
        throw JSONScanner.Failure(
          offset: start,
          message: "expected a path such as catalog/3f9c….json, found \"\(page.path.prefix(80))\"")
      }
      pages.append(page)
    }
    return pages
  }
}
