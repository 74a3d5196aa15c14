internal import Synchronization
internal import TesseraBytes
internal import TesseraCatalog
package import TesseraOutput
package import TesseraPipelineFile
package import TesseraState
internal import TesseraSystem
internal import TesseraText

/// The lines of the last catalog, which is the parent of the next one, or those of a shard's last result.
///
/// What is not as the state has it noted is not there: then the line is made again of what is known of its source.
package final class ParentLines: Sendable {
  package let index: ChunkIndex
  private let document: OpenDocument?
  private let last = Mutex<(number: Int, lines: [Identifier: Line])?>(nil)

  /// A line, and where it is in the document, in bytes.
  package struct Line: Sendable {
    package var text: ArraySlice<UInt8>
    package var range: Range<Int>
  }

  /// - Parameter document: nil if there is none.
  package init(_ index: ChunkIndex, in document: OpenDocument? = nil) {
    (self.index, self.document) = (index, document)
  }

  /// None.
  package convenience init() throws { self.init(try ChunkIndex()) }

  /// Those of the catalog in a pipeline's output, for commands that only read.
  package convenience init(of file: PipelineFile, _ index: ChunkIndex) async throws {
    let open = try OpenOutput(file.output, state: file.state, file.store.settings, creates: false)
    let folder = try TemporaryDirectory()
    defer { withExtendedLifetime(folder) {} }
    let workspace = Workspace(try Directory(folder.path), of: "a catalog")
    // An open file stays readable without its folder.
    self.init(index, in: try await open.output.open(CurrentCatalog.path, workspace))
  }

  /// The lines of a chunk as the document has them; nil if it has others.
  func bytes(of chunk: Chunk) -> [UInt8]? {
    guard let document, chunk.length > 0, chunk.range.upperBound <= document.size,
      let bytes = try? document.read(chunk.range), chunk.isOf(bytes)
    else { return nil }
    return bytes
  }

  func read(_ range: Range<Int>) throws(SystemError) -> [UInt8] {
    try document?.read(range) ?? []
  }

  /// Of the document, in bytes.
  var size: Int { document?.size ?? 0 }

  /// Whether the document is as it was written. Reads all of it.
  func hasStatedDigest() throws -> Bool {
    let start = CatalogDocument.digested
    let sum = SHA256()
    var place = start
    while place < size {
      try Task.checkCancellation()
      let bytes = try read(place..<min(place + Self.blockBytes, size))
      if bytes.isEmpty { return false }
      bytes.withUnsafeBytes { sum.update($0) }
      place += bytes.count
    }
    return CatalogDocument.statedDigest(of: try read(0..<start)) == sum.hexadecimal()
  }

  private static let blockBytes = 1 << 18

  /// With its line break, in bytes; nil if there is none.
  func lengthOfFirstLine() throws(SystemError) -> Int? {
    var start = 0
    while start < size {
      let bytes = try read(start..<min(start + Self.blockBytes, size))
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { return start + end + 1 }
      if bytes.isEmpty { return nil }
      start += bytes.count
    }
    return nil
  }

  /// Calls `body` with the lines of a range, some at a time, and where they begin.
  func forEachBlock(
    of range: Range<Int>, _ body: ([UInt8], Int) async throws -> Void
  ) async throws {
    var (start, most) = (range.lowerBound, Self.blockBytes)
    while start < range.upperBound {
      try Task.checkCancellation()
      let end = min(start + most, range.upperBound)
      var block = try read(start..<end)
      guard block.count == end - start else { throw RunLines.lost }
      if end < range.upperBound {
        guard let last = block.lastIndex(of: UInt8(ascii: "\n")) else {
          most *= 2
          continue
        }
        block.removeLast(block.count - last - 1)
      }
      let length = block.count
      // What separates them from the next ones.
      while let last = block.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: ",") {
        block.removeLast()
      }
      try await body(block, start)
      start += length
    }
  }

  /// - Parameter number: of the item's chunk.
  package func line(_ id: String, inChunk number: Int) -> Line? {
    if let lines = last.withLock({ $0?.number == number ? $0?.lines : nil }) {
      return lines[Identifier(id)]
    }
    guard let chunk = index.chunk(of: number) else { return nil }
    let lines = Dictionary(lines(of: chunk)) { first, _ in first }
    last.withLock { $0 = (number, lines) }
    return lines[Identifier(id)]
  }

  /// The last ids of a chunk, in their order.
  func lastIDs(ofChunk place: Int, limit: Int) -> [String] {
    (index.chunk(at: place).map(lines) ?? []).suffix(limit).map(\.0.text)
  }

  /// Chunks whose ids are listed at most.
  private static let listed = 1_000

  /// The ids of the items that are in no chunk which a run has copied; nil if they are not all known, or too many.
  func ids(notIn claims: ChunkClaims) -> [String]? {
    let left = claims.left
    guard index.isWhole, left.count <= Self.listed else { return nil }
    var ids: [String] = []
    for place in left {
      guard let chunk = index.chunk(at: place) else { return nil }
      let lines = lines(of: chunk)
      guard lines.count == chunk.count else { return nil }
      ids += lines.map(\.0.text)
    }
    return ids
  }

  private func lines(of chunk: Chunk) -> [(Identifier, Line)] {
    guard let bytes = bytes(of: chunk) else { return [] }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      // In a shard's result each is in an object of its own.
      let text =
        ShardHeader.image(line)?.image
        ?? (line.last == UInt8(ascii: ",") ? line.dropLast() : line)
      guard let id = CatalogLine.names(in: Array(text))?.id else { return nil }
      let start = chunk.offset + text.startIndex
      return (Identifier(id), Line(text: text, range: start..<start + text.count))
    }
  }
}
