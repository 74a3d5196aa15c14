internal import Synchronization
internal import TesseraBytes
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// The lines of a run's catalog, in the order of the manifest: chunks that are copied from the parent, and lines of items that
/// the run has looked at.
final class RunLines: CatalogLines {
  let parent: ParentLines
  private let spool: LineSpool
  private let parts = Mutex([Part]())

  private struct Part {
    var chunk: Chunk
    /// Of its first item; nil if the chunk is copied.
    var slot: Int?
    /// Items that are not done.
    var rest: Int
  }

  /// - Parameter directory: for lines that wait.
  init(_ parent: ParentLines, in directory: String) throws(SystemError) {
    self.parent = parent
    spool = try LineSpool(in: directory)
  }

  var count: Int { parts.withLock { $0.reduce(0) { $0 + $1.chunk.count } } }

  // MARK: While the manifest is read

  /// The next chunk is one of the parent, by its place, whose first line in the manifest is `line`.
  func copy(_ place: Int, line: Int) {
    var chunk = parent.index.chunks[place]
    (chunk.line, chunk.hasStood) = (line, true)
    parts.withLock { $0.append(Part(chunk: chunk, slot: nil, rest: 0)) }
  }

  /// The next chunk has new lines. Returns its place.
  func begin(_ chunk: Chunk, slot: Int) -> Int {
    var chunk = chunk
    chunk.freshUntil = .infinity
    return parts.withLock { parts in
      parts.append(Part(chunk: chunk, slot: slot, rest: chunk.count))
      return parts.count - 1
    }
  }

  /// An item of a chunk is done.
  ///
  /// - Parameter line: its line of the catalog; nil if it may not stand in a later run.
  func ended(_ item: Item, _ line: KeptLine?) {
    parts.withLock { parts in
      guard parts.indices.contains(item.chunk) else { return }
      parts[item.chunk].rest -= 1
      guard let line else {
        parts[item.chunk].chunk.mayStand = false
        return
      }
      parts[item.chunk].chunk.places += line.places
      parts[item.chunk].chunk.files += line.files
      parts[item.chunk].chunk.freshUntil = min(
        parts[item.chunk].chunk.freshUntil, line.freshUntil)
    }
  }

  func put(_ text: [UInt8], of item: Item) throws(SystemError) {
    try spool.put(text, in: item.slot, line: item.entry.line)
  }

  /// Takes an item's line from the parent.
  func keep(_ range: Range<Int>, of item: Item) throws(SystemError) {
    try spool.keep(range, in: item.slot, line: item.entry.line)
  }

  // MARK: When all items are done

  func line(inSlot slot: Int) throws -> [UInt8] {
    try line(at: try spool.places(of: slot..<slot + 1)[0])
  }

  private func line(at place: LineSpool.Place) throws -> [UInt8] {
    let text = try place.isInParent ? parent.read(place.range) : spool.read(place.range)
    guard !text.isEmpty, text.count == place.range.count else { throw lost }
    return text
  }

  private var lost: PipelineError {
    .local("a line of the catalog that the run has made is not there; run again")
  }

  /// Calls `body` with the lines of each chunk, and theirs in the manifest; of a chunk that is copied without these. Notes where
  /// it has put them.
  ///
  /// - Returns: the chunks of the document.
  func writeChunks(
    _ body: (_ lines: [UInt8], _ numbers: [Int]) async throws -> (range: Range<Int>, sum: UInt32?)
  ) async throws -> [Chunk] {
    var written: [Chunk] = []
    for part in parts.withLock(\.self) {
      let (bytes, numbers) = try lines(of: part)
      let (range, sum) = try await body(bytes, numbers)
      var chunk = part.chunk
      (chunk.offset, chunk.length) = (range.lowerBound, range.count)
      chunk.sum = sum ?? (part.slot == nil ? chunk.sum : CRC32.of(bytes))
      if part.rest > 0 { chunk.mayStand = false }
      written.append(chunk)
    }
    return written
  }

  func write(to draft: inout CatalogDraft) async throws -> [Chunk] {
    try await writeChunks { lines, _ in
      let start = draft.offset
      try draft.add(lines: lines)
      return (start..<start + lines.count, nil)
    }
  }

  func forEachBatch(_ body: ([[UInt8]]) async throws -> Void) async throws {
    for part in parts.withLock(\.self) {
      try await body(try lines(of: part).bytes.lines)
    }
  }

  /// Joined as a catalog has them.
  private func lines(of part: Part) throws -> (bytes: [UInt8], numbers: [Int]) {
    guard let slot = part.slot else {
      // They were compared with their sum when the manifest was read, and the document stays open.
      let bytes = try parent.read(part.chunk.range)
      guard bytes.count == part.chunk.length else { throw lost }
      return (bytes, [])
    }
    let places = try spool.places(of: slot..<slot + part.chunk.count)
    var bytes: [UInt8] = []
    for place in places {
      if !bytes.isEmpty { bytes += [UInt8(ascii: ","), UInt8(ascii: "\n")] }
      bytes += try line(at: place)
    }
    return (bytes, places.map(\.line))
  }
}

extension [UInt8] {
  /// Of lines joined as a catalog has them.
  fileprivate var lines: [[UInt8]] {
    split(separator: UInt8(ascii: "\n")).map {
      Array($0.last == UInt8(ascii: ",") ? $0.dropLast() : $0)
    }
  }
}
