/// The item location box (`iloc`, ISO/IEC 14496-12, 8.11.3) as libheif writes it: version 0, or 1 if an item lies in the
/// `meta` box itself, numbers of four bytes, and one extent per item.
struct ItemLocations {
  private struct Item {
    /// The id, in version 1 where it lies, and the index of the data reference, as they are stored.
    var head: [UInt8]
    /// libheif puts all of it into the base offset.
    var offset: Int
    var length: Int
    var identifier: Int { Int(head[0]) << 8 | Int(head[1]) }
    /// Whether the offset is from the start of the file (construction method 0).
    var isInFile: Bool { head.count == 4 || head[2] == 0 && head[3] == 0 }
  }

  private let head: [UInt8]
  private var items: [Item] = []

  /// Nil if the box has another structure.
  init?(_ box: Box) {
    let body = box.body
    // Four bytes each for offset, length and base offset.
    guard body.count >= 8, body[0] <= 1, body[4] == 0x44, body[5] == 0x40 else { return nil }
    head = Array(body[..<6])
    let count = Int(body[6]) << 8 | Int(body[7])
    // Of a row.
    let start = body[0] == 0 ? 4 : 6
    let length = start + 14
    guard body.count == 8 + count * length else { return nil }
    for row in stride(from: 8, to: body.count, by: length) {
      let place = row + start
      func number(_ index: Int) -> Int {
        body[place + index..<place + index + 4].reduce(0) { $0 << 8 | Int($1) }
      }
      // Exactly one extent.
      guard body[place + 4] == 0, body[place + 5] == 1 else { return nil }
      items.append(
        Item(
          head: Array(body[row..<place]), offset: number(0) + number(6), length: number(10)))
    }
  }

  /// Removes an item.
  ///
  /// - Returns: the range of its bytes in the file; nil if the file has no such item.
  mutating func remove(_ identifier: Int) -> Range<Int>? {
    guard let index = items.firstIndex(where: { $0.identifier == identifier }),
      items[index].isInFile
    else { return nil }
    let item = items.remove(at: index)
    return item.offset..<item.offset + item.length
  }

  mutating func shift(by distance: Int) {
    for index in items.indices where items[index].isInFile { items[index].offset += distance }
  }

  /// Moves the items that follow a range that was cut out.
  mutating func close(_ gap: Range<Int>) {
    for index in items.indices
    where items[index].isInFile && items[index].offset >= gap.upperBound {
      items[index].offset -= gap.count
    }
  }

  var box: Box {
    let rows = items.flatMap { item -> [UInt8] in
      let place = UInt32(item.offset).bigEndianBytes + [0, 1] as [UInt8]
      return item.head + place + [0, 0, 0, 0] + UInt32(item.length).bigEndianBytes
    }
    return Box(name: "iloc", body: head + UInt16(items.count).bigEndianBytes + rows)
  }
}
