internal import TesseraBytes
internal import TesseraJSON
package import TesseraSystem

/// The pages of a catalog while it is written: catalogs of a part of the images each, and an index of them.
///
/// A page ends behind an image whose id decides so (content-defined chunking, as in LBFS, Muthitacharoen and others,
/// 2001): a new image changes the page that it is on, wherever it is in the order, and no other. A page is named by
/// its digest, so it never changes, and a reader of an older index still finds its pages.
package struct CatalogPages: ~Copyable {
  package static let folder = "catalog"
  package static let index = "\(folder)/index.json"

  /// About how many images a page has: a quarter of it at least, four times it at most.
  private let size: Int
  private let head: [UInt8]
  private let staged: WorkFile
  private let file: File
  /// Of the page that is not complete.
  private var lines: [[UInt8]] = []
  private var digest: CatalogDigest
  private var pages: [Page] = []
  private var offset = 0

  /// A page in an index.
  struct Page: Equatable {
    var path: String
    var digest: String
    var count: Int
    /// Its size, and where it is in the staged file.
    var bytes: Int
    var offset = 0
  }

  /// - Parameter staged: where pages are kept until they are published.
  init(_ size: Int, head: [UInt8], in staged: WorkFile) throws(SystemError) {
    let digest = try CatalogDigest(head: head)
    file = try staged.open(.write)
    (self.size, self.head, self.staged, self.digest) = (size, head, staged, digest)
  }

  /// - Parameter canonical: the image's canonical form.
  mutating func add(_ line: [UInt8], canonical: [UInt8]) throws(SystemError) {
    lines.append(line)
    digest.add(canonical)
    guard lines.count >= size * 4 || lines.count >= max(1, size / 4) && endsPage(canonical) else {
      return
    }
    try endPage()
  }

  private func endsPage(_ canonical: [UInt8]) -> Bool {
    let id = (try? JSONParser.parse(canonical))?["id"]?.stringValue ?? ""
    let start = UInt64(SHA256.of(id).prefix(12), radix: 16) ?? 0
    return start % UInt64(size) == 0
  }

  private mutating func endPage() throws(SystemError) {
    var (page, bytes) = Self.page(lines, head: head, digest: digest.hexadecimal())
    try file.write(bytes)
    page.offset = offset
    pages.append(page)
    offset += bytes.count
    lines.removeAll(keepingCapacity: true)
    digest = try CatalogDigest(head: head)
  }

  private static func page(
    _ lines: [[UInt8]], head: [UInt8], digest: String
  ) -> (Page, [UInt8]) {
    let start = ",\"count\":\(lines.count),\"digest\":\"\(digest)\",\"images\":[\n"
    let bytes =
      head.dropLast() + Array(start.utf8) + Array(lines.joined(separator: ",\n".utf8))
      + Array("\n]}\n".utf8)
    return (
      Page(
        path: "\(folder)/\(digest.prefix(32)).json", digest: digest, count: lines.count,
        bytes: bytes.count), Array(bytes)
    )
  }

  /// A page with some images.
  static func page(_ lines: [[UInt8]], head: [UInt8]) throws(SystemError) -> (Page, [UInt8]) {
    let digest = try CatalogDigest(head: head)
    for line in lines { digest.add(try CatalogDigest.canonical(line)) }
    return page(lines, head: head, digest: digest.hexadecimal())
  }

  /// Writes the pages that are not there yet, and the index into a staged file: it replaces the other one together
  /// with the catalog.
  consuming func publish(
    to output: any Output, count: Int, digest: String, index: WorkFile
  ) async throws(SystemError) {
    if !lines.isEmpty { try endPage() }
    let written = try staged.open(.read)
    for page in pages where try await !output.has(page.path, bytes: page.bytes) {
      try await output.write(page.path, written.read(page.bytes, at: page.offset))
    }
    try index.open(.write).write(Self.document(pages, count: count, digest: digest))
    try staged.remove()
  }

  static func document(_ pages: [Page], count: Int, digest: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("schema", "tessera-catalog-pages/1")
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
          }
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  /// The pages that an index names: path and size in bytes; nil if the output has no index there.
  package static func named(
    in output: any Output, by index: String = index
  ) async throws(SystemError) -> [(path: String, bytes: Int)]? {
    try await entries(in: output, by: index)?.map { ($0.path, $0.bytes) }
  }

  /// The digest of the catalog that an index belongs to; nil if the output has no index there.
  package static func catalogDigest(
    in output: any Output, by index: String = index
  ) async throws(SystemError) -> String? {
    guard let size = try await output.size(of: index) else { return nil }
    let bytes = try await output.read(index, size, at: 0)
    return (try? JSONParser.parse(bytes))?["digest"]?.stringValue
  }

  static func entries(
    in output: any Output, by index: String
  ) async throws(SystemError) -> [Page]? {
    guard let size = try await output.size(of: index) else { return nil }
    let bytes = try await output.read(index, size, at: 0)
    guard let list = (try? JSONParser.parse(bytes))?["pages"]?.arrayValue else {
      throw .damaged(index, "expected a list of pages")
    }
    var pages: [Page] = []
    for page in list {
      guard let path = page["path"]?.stringValue, isPage(path), let size = page["bytes"]?.intValue
      else { throw .damaged(index, "expected a path such as catalog/3f9c….json in each page") }
      pages.append(
        Page(
          path: path, digest: page["digest"]?.stringValue ?? "",
          count: page["count"]?.intValue ?? 0,
          bytes: size))
    }
    return pages
  }

  /// Whether a path is that of a page.
  package static func isPage(_ path: String) -> Bool {
    path.wholeMatch(of: /catalog\/[0-9a-f]{32}\.json/) != nil
  }
}
