internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON

/// Writes the changes from one catalog to another (``CatalogChanges``). Lines are compared by their digests, so an image that
/// has moved is named and not repeated. Memory grows by 12 bytes with each image of the old catalog.
package struct ChangesWriter: ~Copyable {
  /// The beginnings of the digests of the old lines, in their order.
  private var hashes: [UInt64] = []
  /// Their positions, in the order of these hashes.
  private var order: [Int32] = []
  private var writer = JSONWriter()
  /// The old lines that come next; nil without any.
  private var range: ClosedRange<Int>?
  /// Bytes written so far.
  package private(set) var count = 0

  package init() {}

  /// Adds a line of the old catalog. All of them come first.
  package mutating func addOld(_ line: some Sequence<UInt8>) { hashes.append(Self.hash(line)) }

  private static func hash(_ line: some Sequence<UInt8>) -> UInt64 {
    UInt64(SHA256.of(Array(line)).prefix(16), radix: 16) ?? 0
  }

  /// - Parameters:
  ///   - from: the digest of the old catalog.
  ///   - to: that of the new one.
  ///   - head: of the new one, a JSON object.
  package mutating func begin(from: String, to: String, head: [UInt8]) {
    order = hashes.indices.map { Int32($0) }
    order.sort { (hashes[Int($0)], $0) < (hashes[Int($1)], $1) }
    writer.beginObject()
    writer.member("schema", CatalogChanges.schema)
    writer.member("from", from)
    writer.member("to", to)
    writer.member("head", String(decoding: CatalogDocument.firstLine(of: head), as: UTF8.self))
    writer.name("lines")
    writer.beginArray()
  }

  /// Adds a line of the new catalog.
  ///
  /// - Returns: what has been written since the last call.
  package mutating func addNew(_ line: some Sequence<UInt8>) -> [UInt8] {
    let hash = Self.hash(line)
    if let known = range, known.upperBound + 1 < hashes.count, hashes[known.upperBound + 1] == hash
    {
      range = known.lowerBound...known.upperBound + 1
      return []
    }
    endRange()
    if let position = position(of: hash) {
      range = position...position
    } else {
      writer.value(String(decoding: Array(line), as: UTF8.self))
    }
    return take()
  }

  /// The rest.
  package mutating func end() -> [UInt8] {
    endRange()
    writer.endArray()
    writer.endObject()
    return take() + [UInt8(ascii: "\n")]
  }

  private mutating func endRange() {
    guard let range else { return }
    writer.beginArray()
    writer.value(range.lowerBound)
    writer.value(range.upperBound)
    writer.endArray()
    self.range = nil
  }

  private mutating func take() -> [UInt8] {
    let bytes = writer.take()
    count += bytes.count
    return bytes
  }

  /// Where a line is in the old catalog.
  private func position(of hash: UInt64) -> Int? {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if hashes[Int(order[middle])] < hash { low = middle + 1 } else { high = middle }
    }
    guard low < order.count, hashes[Int(order[low])] == hash else { return nil }
    return Int(order[low])
  }
}
