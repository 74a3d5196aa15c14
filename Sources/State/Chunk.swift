internal import TesseraBytes

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
