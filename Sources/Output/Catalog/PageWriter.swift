internal import TesseraBytes
internal import TesseraSystem

/// Writes pages into a staged file, from which they are published: catalogs of a part of the images each.
///
/// A page is named by its bytes, so it never changes, and a reader of an older index still finds its pages. Its digest does not
/// tell apart all numbers, and so would not do.
final class PageWriter {
  private let folder: PageFolder
  private let head: [UInt8]
  private let staged: WorkFile
  private let file: File
  /// Of the page that is not complete.
  private var lines: [[UInt8]] = []
  private var digest: CatalogDigest
  /// Those that are complete, with where they are in the staged file.
  private var pages: [(page: PageIndex.Page, offset: Int)] = []
  private var offset = 0

  /// - Parameters:
  ///   - head: of each page, as one line of JSON.
  ///   - staged: where pages are kept until they are published.
  init(_ folder: PageFolder, head: [UInt8], in staged: WorkFile) throws(SystemError) {
    digest = try CatalogDigest(head: head)
    file = try staged.open(.write)
    (self.folder, self.head, self.staged) = (folder, head, staged)
  }

  /// How many images the page that is not complete has.
  var count: Int { lines.count }

  /// - Parameter canonical: the image's canonical form.
  func add(_ line: [UInt8], canonical: [UInt8]) {
    lines.append(line)
    digest.add(canonical)
  }

  /// Ends a page, unless it has no image.
  func endPage(prefix: String? = nil) throws(SystemError) {
    guard !lines.isEmpty else { return }
    var (page, bytes) = Self.page(lines, head: head, digest: digest.hexadecimal(), in: folder)
    page.prefix = prefix
    try file.write(bytes)
    pages.append((page, offset))
    offset += bytes.count
    lines.removeAll(keepingCapacity: true)
    digest = try CatalogDigest(head: head)
  }

  private static func page(
    _ lines: [[UInt8]], head: [UInt8], digest: String, in folder: PageFolder
  ) -> (PageIndex.Page, [UInt8]) {
    let start = ",\"count\":\(lines.count),\"digest\":\"\(digest)\",\"images\":[\n"
    let bytes = Array(
      head.dropLast() + Array(start.utf8) + Array(lines.joined(separator: ",\n".utf8))
        + Array("\n]}\n".utf8))
    let page = PageIndex.Page(
      path: folder.page(bytes), digest: digest, count: lines.count, bytes: bytes.count)
    return (page, bytes)
  }

  /// A page with some images.
  static func page(
    _ lines: [[UInt8]], head: [UInt8], in folder: PageFolder
  ) throws(SystemError) -> (PageIndex.Page, [UInt8]) {
    let digest = try CatalogDigest(head: head)
    for line in lines { digest.add(try CatalogDigest.canonical(line)) }
    return page(lines, head: head, digest: digest.hexadecimal(), in: folder)
  }

  /// Whether no page is complete.
  var isEmpty: Bool { pages.isEmpty }

  /// Writes the pages that are not there yet.
  ///
  /// - Parameter digest: that of the catalog.
  /// - Returns: the index of all pages, and the bytes of the first; nil if there is none.
  func publish(
    to output: any Output, digest: String
  ) async throws(SystemError) -> (index: PageIndex, first: [UInt8]?) {
    try endPage()
    let written = try staged.open(.read)
    for (page, offset) in pages where try await !output.has(page.path, bytes: page.bytes) {
      try await output.write(page.path, written.read(page.bytes, at: offset))
    }
    var first: [UInt8]?
    if let (page, offset) = pages.first { first = try written.read(page.bytes, at: offset) }
    try staged.remove()
    return (PageIndex(digest: digest, pages: pages.map(\.page)), first)
  }
}

/// Where pages end: behind an image whose id decides so (content-defined chunking, as in LBFS, Muthitacharoen and others,
/// 2001). A new image changes the page that it is on, wherever it is in the order, and no other.
struct PageEnds {
  /// About how many images a page has: a quarter of it at least, four times it at most.
  let size: Int

  func end(after id: @autoclosure () -> IDHash, count: Int) -> Bool {
    count >= size * 4 || count >= max(1, size / 4) && id().bits % UInt64(size) == 0
  }
}

/// The first bits of the SHA-256 of an id, by which pages end and images are looked up.
struct IDHash {
  static let size = 48
  let bits: UInt64

  init(_ id: String) { bits = UInt64(SHA256.of(id).prefix(Self.size / 4), radix: 16) ?? 0 }

  /// The leading ones of them.
  func prefix(_ count: Int) -> UInt64 { bits >> UInt64(Self.size - count) }
}
