internal import Synchronization
internal import TesseraBytes
internal import TesseraSystem

/// Entries that follow each other in the manifest and are compared as one, and where their lines are in the last catalog.
package struct Chunk: Sendable, Equatable {
  /// Identifies the entries, and everything else that their lines were made of: 128 bits of SHA-256.
  package struct Key: Sendable, Hashable {
    /// By this half, which each item has, a chunk is found.
    package var number: Int
    var rest: Int

    init(_ number: Int, _ rest: Int) { (self.number, self.rest) = (number, rest) }

    /// - Parameter text: everything that it stands for.
    package init(of text: String) {
      let halves = PackedKey.pack(Array(RecordKey.of(text).utf8)[...]) ?? []
      (number, rest) = (Self.number(halves.prefix(8)), Self.number(halves.suffix(8)))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
      Int(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
  }

  package var key: Key
  /// Its items.
  package var count: Int
  /// Its first line in the manifest.
  package var line: Int
  /// Where its lines are in the catalog, in bytes.
  package var offset = 0
  package var length = 0
  /// Of these bytes.
  package var sum: UInt32 = 0
  /// Until when all of its sources are fresh, in seconds since 1970; infinite if they always are.
  package var freshUntil = 0.0
  /// Slots at scales that files serve, in each format, and the files.
  package var places = 0
  package var files = 0
  /// Whether a later run may copy its lines: all of its items are `ok`, and the key stands for all that they are.
  package var mayStand = false
  /// Whether the last run copied its lines.
  package var hasStood = false

  package init(_ key: Key, count: Int, line: Int) {
    (self.key, self.count, self.line) = (key, count, line)
  }

  package var range: Range<Int> { offset..<offset + length }

  /// Whether bytes are its lines.
  package func isOf(_ bytes: [UInt8]) -> Bool {
    bytes.count == length && CRC32.of(bytes) == sum
  }
}

// MARK: In the state

extension Chunk {
  /// Bytes of one.
  static let width = 64

  func write(to bytes: inout [UInt8]) {
    let start = bytes.count
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    add(Int64(key.number))
    add(Int64(key.rest))
    add(Int64(offset))
    add(freshUntil.bitPattern)
    for number in [length, line, places, files] { add(UInt32(clamping: number)) }
    add(sum)
    add(UInt32(clamping: count))
    add(UInt32((mayStand ? 1 : 0) | (hasStood ? 2 : 0)))
    add(CRC32.of(Array(bytes[start...])))
  }

  /// Nil if the bytes are not what was written.
  init?(_ bytes: UnsafeRawBufferPointer) {
    func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
      Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
    func small(_ offset: Int) -> Int { Int(number(offset, UInt32.self)) }
    guard bytes.count == Self.width, number(60, UInt32.self) == CRC32.of(Array(bytes.prefix(60)))
    else { return nil }
    key = Key(Int(number(0, Int64.self)), Int(number(8, Int64.self)))
    offset = Int(number(16, Int64.self))
    freshUntil = Double(bitPattern: number(24, UInt64.self))
    (length, line, places, files) = (small(32), small(36), small(40), small(44))
    (sum, count) = (number(48, UInt32.self), small(52))
    (mayStand, hasStood) = (small(56) & 1 != 0, small(56) & 2 != 0)
  }
}

/// Chunks in their order: once they are many, in a file without a name, because there is one for a dozen images.
package final class ChunkList: Sendable {
  private let content = Mutex(Content())

  private struct Content {
    var count = 0
    /// Those that are not in the file.
    var tail: [UInt8] = []
    var file: SharedFile?
    /// Where the tail begins, in bytes.
    var start = 0
    /// The block of the file that was read last.
    var block: [UInt8] = []
    var blockStart = -1
  }

  /// Chunks that are kept in memory, and read together.
  private static let together = 1_000
  private static let blockBytes = together * Chunk.width

  package init() {}

  package convenience init(_ chunks: some Sequence<Chunk>) throws(StateError) {
    self.init()
    for chunk in chunks { try append(chunk) }
  }

  package var count: Int { content.withLock(\.count) }

  package func append(_ chunk: Chunk) throws(StateError) {
    try wrap { content throws(SystemError) in
      chunk.write(to: &content.tail)
      content.count += 1
      if content.tail.count >= Self.blockBytes { try Self.flush(&content) }
    }
  }

  /// Replaces the chunk at a place.
  package func replace(_ place: Int, by chunk: Chunk) throws(StateError) {
    var bytes: [UInt8] = []
    chunk.write(to: &bytes)
    try wrap { content throws(SystemError) in
      let offset = place * Chunk.width
      if offset >= content.start {
        content.tail.replaceSubrange(
          offset - content.start..<offset - content.start + Chunk.width, with: bytes)
        return
      }
      try content.file?.file.write(bytes, at: offset)
      if offset >= content.blockStart, offset < content.blockStart + content.block.count {
        content.blockStart = -1
      }
    }
  }

  /// The chunk at a place.
  package func chunk(at place: Int) throws(StateError) -> Chunk {
    let bytes = try wrap { content throws(SystemError) in
      try Self.bytes(at: place * Chunk.width, in: &content)
    }
    guard let chunk = bytes.withUnsafeBytes({ Chunk($0) }) else {
      throw Self.failure("a file there is not what was written")
    }
    return chunk
  }

  private static func bytes(
    at offset: Int, in content: inout Content
  ) throws(SystemError) -> ArraySlice<UInt8> {
    if offset >= content.start {
      return content.tail[offset - content.start..<offset - content.start + Chunk.width]
    }
    if content.blockStart < 0 || offset < content.blockStart
      || offset >= content.blockStart + content.block.count
    {
      content.blockStart = offset / blockBytes * blockBytes
      content.block = try content.file?.file.read(blockBytes, at: content.blockStart) ?? []
    }
    return content.block.dropFirst(offset - content.blockStart).prefix(Chunk.width)
  }

  private static func flush(_ content: inout Content) throws(SystemError) {
    if content.file == nil {
      content.file = SharedFile(try File.temporary(in: FileSystem.temporaryDirectory))
    }
    try content.file?.file.write(content.tail, at: content.start)
    content.start += content.tail.count
    content.tail.removeAll(keepingCapacity: true)
  }

  private func wrap<Value>(
    _ body: (inout Content) throws(SystemError) -> Value
  ) throws(StateError) -> Value {
    do throws(SystemError) {
      return try content.withLock { content throws(SystemError) in try body(&content) }
    } catch {
      throw Self.failure("\(error)")
    }
  }

  private static func failure(_ message: String) -> StateError {
    StateError(
      kind: .unavailable, path: "", message: message, remedy: "free space there, and run again")
  }
}

/// The chunks of a catalog, in its order.
package struct ChunkIndex: Sendable {
  private let list: ChunkList
  /// Whether each item of the state is in one of them.
  package let isWhole: Bool
  /// Their numbers in order, and the place of each.
  private let numbers: [Int]
  private let places: [Int32]
  /// The numbers of those that may not stand; nil for all of them.
  private let doubts: Set<Int>?

  /// - Parameter doubts: the numbers of chunks that may not stand; nil for all of them.
  package init(
    _ list: ChunkList = ChunkList(), isWhole: Bool = false, doubts: Set<Int>? = []
  ) throws(StateError) {
    (self.list, self.isWhole, self.doubts) = (list, isWhole, doubts)
    var found: [(number: Int, place: Int32)] = []
    found.reserveCapacity(list.count)
    for place in 0..<list.count {
      found.append((try list.chunk(at: place).key.number, Int32(place)))
    }
    found.sort { $0.number < $1.number }
    numbers = found.map(\.number)
    places = found.map(\.place)
  }

  package var count: Int { numbers.count }

  /// One of them; nil if it can't be read.
  package func chunk(at place: Int) -> Chunk? {
    guard var chunk = try? list.chunk(at: place) else { return nil }
    if doubts?.contains(chunk.key.number) ?? true { chunk.mayStand = false }
    return chunk
  }

  /// The place of a chunk, by the number that its items have.
  package func place(of number: Int) -> Int? {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < numbers.count && numbers[low] == number ? Int(places[low]) : nil
  }

  package func chunk(of number: Int) -> Chunk? { place(of: number).flatMap(chunk(at:)) }

  /// The chunk with a key, and its place.
  package func chunk(with key: Chunk.Key) -> (place: Int, chunk: Chunk)? {
    guard let place = place(of: key.number), let chunk = chunk(at: place), chunk.key == key else {
      return nil
    }
    return (place, chunk)
  }

  /// The chunks of another document: those whose lines it has as the present one.
  ///
  /// - Parameters:
  ///   - edits: what differs, in the order of the present document: where that is in it, and how many bytes the other has in
  ///     its place.
  ///   - claims: of a run: chunks that items have left do not count.
  package func moved(
    _ edits: [(range: Range<Int>, length: Int)], _ claims: ChunkClaims? = nil
  ) throws(StateError) -> ChunkList {
    let moved = ChunkList()
    var (shift, rest) = (0, edits[...])
    for place in 0..<list.count {
      guard var chunk = chunk(at: place) else { continue }
      while let edit = rest.first, edit.range.upperBound <= chunk.offset {
        shift += edit.length - edit.range.count
        rest.removeFirst()
      }
      if let edit = rest.first, edit.range.lowerBound < chunk.range.upperBound { continue }
      if claims?.hasLeft(place) == true { continue }
      chunk.offset += shift
      try moved.append(chunk)
    }
    return moved
  }
}

/// Which chunks of the last catalog a run copies, and which it does not, because an item has left them.
package final class ChunkClaims: Sendable {
  package let parent: ChunkIndex
  private let progress: Mutex<Progress>

  private struct Progress {
    /// The first line in the manifest of each chunk that is copied, by its place; 0 for the others, and less for those that
    /// items have left.
    var lines: [Int32]
    /// The numbers of the other chunks of the run.
    var begun: Set<Int> = []
    /// Items of the last completed run that this one has.
    var kept = 0

    /// One that is copied already stays.
    mutating func leave(_ place: Int) { if lines[place] == 0 { lines[place] = -1 } }
  }

  package init(_ parent: ChunkIndex) {
    self.parent = parent
    progress = Mutex(Progress(lines: [Int32](repeating: 0, count: parent.count)))
  }

  /// Has a chunk copied, whose first line in the manifest is `line`. Returns false if that is not possible any more.
  package func stand(_ place: Int, line: Int) -> Bool {
    guard let count = parent.chunk(at: place)?.count else { return false }
    return progress.withLock { progress in
      guard progress.lines[place] == 0 else { return false }
      progress.lines[place] = Int32(clamping: line)
      progress.kept += count
      return true
    }
  }

  /// Notes that an item of a chunk is in another one now.
  package func leave(_ number: Int) {
    guard let place = parent.place(of: number) else { return }
    progress.withLock { $0.leave(place) }
  }

  /// The number of a new chunk: that of its key, unless the run has another one with it. The parent's with this number is not
  /// copied any more.
  func begin(_ number: Int?, or other: Int) -> Int {
    let place = number.flatMap { parent.place(of: $0) }
    return progress.withLock { progress in
      let isCopied = place.map { progress.lines[$0] > 0 } ?? false
      let number = number.flatMap { isCopied || progress.begun.contains($0) ? nil : $0 } ?? other
      progress.begun.insert(number)
      if let place { progress.leave(place) }
      return number
    }
  }

  /// Whether an item of a chunk is in another one now, by the chunk's place.
  package func hasLeft(_ place: Int) -> Bool { progress.withLock { $0.lines[place] < 0 } }

  /// The places of the parent's chunks that are not copied.
  package var left: [Int] {
    progress.withLock { progress in progress.lines.indices.filter { progress.lines[$0] <= 0 } }
  }

  package func keep() { progress.withLock { $0.kept += 1 } }

  /// Items of the last completed run that this one has.
  package var kept: Int { progress.withLock(\.kept) }

  /// The first line in the manifest of a chunk that is copied; nil for others.
  package func standingLine(of number: Int) -> Int? {
    guard let place = parent.place(of: number) else { return nil }
    return progress.withLock { $0.lines[place] > 0 ? Int($0.lines[place]) : nil }
  }
}
