internal import Synchronization
internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// The lines of a run's catalog, in the order of the manifest: chunks that are copied from the parent, and lines of items that
/// the run has looked at.
final class RunLines: CatalogLines {
  let parent: ParentLines
  private let spool: LineSpool
  /// Those that are copied have their places in the parent, and the others that of their first item among the slots.
  private let chunks = ChunkList()
  private let progress = Mutex(Progress())

  private struct Progress {
    /// Items.
    var count = 0
    /// Chunks with items that are not done, and how many.
    var open: [Int: (chunk: Chunk, rest: Int)] = [:]
  }

  private static let batch = 250
  /// Open at a time. If the items of more are in flight, the others are looked at again in the next run.
  private static let mostOpen = 10_000

  /// - Parameter directory: for lines that wait.
  init(_ parent: ParentLines, in directory: String) throws(SystemError) {
    self.parent = parent
    spool = try LineSpool(in: directory)
  }

  var count: Int { progress.withLock(\.count) }

  // MARK: While the manifest is read

  /// The next chunk is one of the parent, whose first line in the manifest is `line`.
  func copy(_ chunk: Chunk, line: Int) throws(StateError) {
    var chunk = chunk
    (chunk.line, chunk.hasStood) = (line, true)
    try chunks.append(chunk)
    progress.withLock { $0.count += chunk.count }
  }

  /// The next chunk has new lines. Returns its place.
  func begin(_ new: Chunk, slot: Int) throws(StateError) -> Int {
    var chunk = new
    (chunk.freshUntil, chunk.offset) = (.infinity, slot)
    let place = chunks.count
    let isOpen = progress.withLock { [chunk] progress in
      progress.count += chunk.count
      guard progress.open.count < Self.mostOpen else { return false }
      progress.open[place] = (chunk, chunk.count)
      return true
    }
    chunk.mayStand = chunk.mayStand && isOpen
    try chunks.append(chunk)
    return place
  }

  /// An item of a chunk is done.
  ///
  /// - Parameter line: its line of the catalog; nil if it may not stand in a later run.
  func ended(_ item: Item, _ line: KeptLine?) throws(StateError) {
    let done = progress.withLock { progress -> Chunk? in
      guard var (chunk, rest) = progress.open.removeValue(forKey: item.chunk) else { return nil }
      rest -= 1
      chunk.mayStand = chunk.mayStand && line != nil
      chunk.places += line?.places ?? 0
      chunk.files += line?.files ?? 0
      chunk.freshUntil = min(chunk.freshUntil, line?.freshUntil ?? 0)
      if rest == 0 { return chunk }
      progress.open[item.chunk] = (chunk, rest)
      return nil
    }
    if let done { try chunks.replace(item.chunk, by: done) }
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
    guard !text.isEmpty, text.count == place.range.count else { throw Self.lost }
    return text
  }

  static var lost: TesseraError {
    TesseraError(
      .local, "a line of the catalog that the run has made is not there", remedy: "run again",
      isRetryable: true)
  }

  /// Calls `body` with the lines of each chunk, and theirs in the manifest; of a chunk that is copied without these. Notes where
  /// it has put them.
  ///
  /// - Returns: the chunks of the document.
  func writeChunks(
    _ body: (_ lines: [UInt8], _ numbers: [Int]) async throws -> (range: Range<Int>, sum: UInt32?)
  ) async throws -> ChunkList {
    let written = ChunkList()
    let open = progress.withLock { Set($0.open.keys) }
    for place in 0..<chunks.count {
      var chunk = try chunks.chunk(at: place)
      let (bytes, numbers) = try lines(of: chunk)
      let (range, sum) = try await body(bytes, numbers)
      (chunk.offset, chunk.length) = (range.lowerBound, range.count)
      chunk.sum = sum ?? (chunk.hasStood ? chunk.sum : CRC32.of(bytes))
      if open.contains(place) { chunk.mayStand = false }
      try written.append(chunk)
    }
    return written
  }

  func write(to draft: inout CatalogDraft) async throws -> ChunkList {
    try await writeChunks { lines, _ in
      let start = draft.offset
      try draft.add(lines: lines)
      return (start..<start + lines.count, nil)
    }
  }

  func forEachBatch(_ body: ([[UInt8]]) async throws -> Void) async throws {
    var batch: [[UInt8]] = []
    for place in 0..<chunks.count {
      let lines = try lines(of: try chunks.chunk(at: place)).bytes
      batch += CatalogDocument.lines(lines).map { Array($0) }
      guard batch.count >= Self.batch || place == chunks.count - 1 else { continue }
      try await body(batch)
      batch.removeAll(keepingCapacity: true)
    }
  }

  /// Joined as a catalog has them.
  private func lines(of chunk: Chunk) throws -> (bytes: [UInt8], numbers: [Int]) {
    if chunk.hasStood {
      // They were compared with their sum when the manifest was read, and the document stays open.
      let bytes = try parent.read(chunk.range)
      guard bytes.count == chunk.length else { throw Self.lost }
      return (bytes, [])
    }
    let places = try spool.places(of: chunk.offset..<chunk.offset + chunk.count)
    var bytes: [UInt8] = []
    for place in places {
      if !bytes.isEmpty { bytes += [UInt8(ascii: ","), UInt8(ascii: "\n")] }
      bytes += try line(at: place)
    }
    return (bytes, places.map(\.line))
  }
}

/// The lines of a catalog that is to be written, in their order.
protocol CatalogLines: Sendable {
  /// How many there are.
  var count: Int { get }

  /// Some lines at a time, so that memory does not grow with the catalog.
  func forEachBatch(_ body: ([[UInt8]]) async throws -> Void) async throws

  /// Writes them into a catalog.
  ///
  /// - Returns: its chunks.
  func write(to draft: inout CatalogDraft) async throws -> ChunkList
}
