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

/// The lines of items that a run looks at, until its catalog is written: in a file without a name, in any order.
final class LineSpool: Sendable {
  /// Where a line is.
  struct Place: Sendable {
    var range: Range<Int>
    /// Whether that is in the parent.
    var isInParent: Bool
    /// The item's line in the manifest.
    var line: Int

    fileprivate static let width = 16
    fileprivate static let parentBit: UInt64 = 1 << 63
  }

  private let lines: SharedFile
  private let places: SharedFile
  private let waiting = Mutex(Waiting())

  /// Lines that are not in the file yet.
  private struct Waiting {
    var bytes: [UInt8] = []
    var start = 0

    static let most = 1 << 18
  }

  /// - Parameter directory: for its files.
  init(in directory: String) throws(SystemError) {
    lines = SharedFile(try File.temporary(in: directory))
    places = SharedFile(try File.temporary(in: directory))
  }

  /// Sets the line of a slot.
  ///
  /// - Parameter line: the item's in the manifest.
  func put(_ text: [UInt8], in slot: Int, line: Int) throws(SystemError) {
    let start = try waiting.withLock { waiting throws(SystemError) in
      let start = waiting.start + waiting.bytes.count
      waiting.bytes += text
      if waiting.bytes.count > Waiting.most { try write(&waiting) }
      return start
    }
    try note(Place(range: start..<start + text.count, isInParent: false, line: line), slot)
  }

  /// Has a slot take its line from the parent.
  func keep(_ range: Range<Int>, in slot: Int, line: Int) throws(SystemError) {
    try note(Place(range: range, isInParent: true, line: line), slot)
  }

  private func note(_ place: Place, _ slot: Int) throws(SystemError) {
    var bytes: [UInt8] = []
    let start = UInt64(place.range.lowerBound) | (place.isInParent ? Place.parentBit : 0)
    withUnsafeBytes(of: start) { bytes += $0 }
    withUnsafeBytes(of: UInt32(clamping: place.range.count)) { bytes += $0 }
    withUnsafeBytes(of: UInt32(clamping: place.line)) { bytes += $0 }
    try places.file.write(bytes, at: slot * Place.width)
  }

  /// The places of some slots; an empty one for each that has no line.
  func places(of slots: Range<Int>) throws(SystemError) -> [Place] {
    let bytes = try places.file.read(
      slots.count * Place.width, at: slots.lowerBound * Place.width)
    return slots.indices.map { slot in
      let offset = (slot - slots.lowerBound) * Place.width
      guard offset + Place.width <= bytes.count else {
        return Place(range: 0..<0, isInParent: false, line: 0)
      }
      return bytes.withUnsafeBytes { bytes in
        let start = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let count = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)
        let line = bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)
        let lower = Int(start & ~Place.parentBit)
        return Place(
          range: lower..<lower + Int(count), isInParent: start & Place.parentBit != 0,
          line: Int(line))
      }
    }
  }

  /// A line that was put into a slot.
  func read(_ range: Range<Int>) throws(SystemError) -> [UInt8] {
    try waiting.withLock { waiting throws(SystemError) in
      if range.upperBound > waiting.start { try write(&waiting) }
    }
    return try lines.file.read(range.count, at: range.lowerBound)
  }

  private func write(_ waiting: inout Waiting) throws(SystemError) {
    try lines.file.write(waiting.bytes, at: waiting.start)
    waiting.start += waiting.bytes.count
    waiting.bytes.removeAll(keepingCapacity: true)
  }
}
