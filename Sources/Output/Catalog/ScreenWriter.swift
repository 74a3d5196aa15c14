internal import TesseraCatalog
internal import TesseraSystem

/// Writes the pages of a screen while a catalog is written: in the order of the images, and by the hashes of their ids.
final class ScreenWriter: PartWriter {
  private let screen: CatalogScreen
  private let folder: PageFolder
  private let ends: PageEnds
  private let scales: [Int]
  private let head: [UInt8]
  private let workspace: Workspace
  private let pages: PageWriter
  private var lookup: LookupLines

  /// - Parameters:
  ///   - head: that of the catalog.
  ///   - count: the number of its images.
  init(
    _ screen: CatalogScreen, of head: Catalog, count: Int, in workspace: Workspace
  ) throws(SystemError) {
    folder = .screen(screen.name)
    self.head = screen.head(head).sortedHeadLine
    pages = try PageWriter(
      folder, head: self.head, in: workspace.staging("screen-\(screen.name).pages"))
    lookup = try LookupLines(
      count: count, pageSize: screen.pages,
      in: workspace.staging("screen-\(screen.name).lookup"))
    (self.screen, self.workspace) = (screen, workspace)
    ends = PageEnds(size: screen.pages)
    scales = head.scales
  }

  func add(_ whole: [UInt8], canonical: [UInt8]) throws(SystemError) {
    let image: CatalogImage
    do throws(CatalogError) {
      image = screen.image(try CatalogImage(reading: whole), scales: scales)
    } catch {
      throw .damaged("catalog", "\(error)")
    }
    // An image that is not used in the screen's slots is not seen there; one that failed does not say where it would be.
    guard !image.slots.isEmpty || image.status == .failed else { return }
    let line = image.line(extra: image.extra == nil ? nil : CatalogImage.extra(ofLine: whole))
    let canonical = try CatalogDigest.canonical(line)
    pages.add(line, canonical: canonical)
    let hash = IDHash(image.id)
    try lookup.add(line, hash)
    if pages.isEmpty ? pages.count == screen.first : ends.end(after: hash, count: pages.count) {
      try pages.endPage()
    }
  }

  func publish(
    to output: any Output, digest: String
  ) async throws(SystemError) -> [String: [UInt8]] {
    let (inOrder, first) = try await pages.publish(to: output, digest: digest)
    let byHash = try PageWriter(
      folder, head: head, in: workspace.staging("screen-\(screen.name).hashed"))
    try lookup.write(to: byHash)
    let (hashed, _) = try await byHash.publish(to: output, digest: digest)
    // Without images, a catalog without images.
    let none = try PageWriter.page([], head: head, in: folder).1
    return [
      folder.index: inOrder.document, folder.lookup: hashed.document, folder.first: first ?? none,
    ]
  }
}

/// The lines of a screen, by the leading bits of the hashes of their ids.
private struct LookupLines: ~Copyable {
  private let staged: WorkFile
  private let file: File
  private let bits: Int
  private var buffer: [UInt8] = []
  private var offset = 0
  /// The leading bits, then where the line is in the file.
  private var places: [(bucket: UInt64, offset: Int, length: Int)] = []

  private static let bufferBytes = 1 << 20

  init(count: Int, pageSize: Int, in staged: WorkFile) throws(SystemError) {
    self.staged = staged
    file = try staged.open(.write)
    var bits = 0
    while bits < IDHash.size, count >> bits > pageSize { bits += 1 }
    self.bits = bits
    places.reserveCapacity(count)
  }

  mutating func add(_ line: [UInt8], _ hash: IDHash) throws(SystemError) {
    places.append((hash.prefix(bits), offset, line.count))
    buffer += line
    offset += line.count
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  private mutating func flush() throws(SystemError) {
    try file.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes a page for each of the leading bits that a line has.
  mutating func write(to pages: PageWriter) throws(SystemError) {
    try flush()
    let written = try staged.open(.read)
    places.sort { ($0.bucket, $0.offset) < ($1.bucket, $1.offset) }
    for (place, line) in places.enumerated() {
      let text = try written.read(line.length, at: line.offset)
      pages.add(text, canonical: try CatalogDigest.canonical(text))
      let isLast = place == places.count - 1 || places[place + 1].bucket != line.bucket
      if isLast { try pages.endPage(prefix: prefix(line.bucket)) }
    }
    try staged.remove()
  }

  private func prefix(_ bucket: UInt64) -> String {
    let digits = String(bucket, radix: 2)
    return bits == 0 ? "" : String(repeating: "0", count: bits - digits.count) + digits
  }
}
