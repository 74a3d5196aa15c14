internal import TesseraPlan

/// The items of an AVIF or HEIC file (ISO/IEC 23008-12), as libheif writes them.
enum HEIFContainer {
  /// Removes the Exif item and its bytes, unless Exif is to be kept. Nil if the file has another
  /// structure than libheif writes.
  static func clean(_ bytes: [UInt8], keeping kept: MetadataPolicy) -> [UInt8]? {
    guard var file = Box.list(bytes[...]),
      let meta = file.firstIndex(where: { $0.name == "meta" }), file[meta].body.count > 4,
      var parts = Box.list(file[meta].body[4...])
    else { return nil }
    guard !kept.contains(.exif), let exif = identifier(of: "Exif", in: parts) else { return bytes }
    guard var locations = remove(exif, from: &parts), let gap = locations.remove(exif),
      cut(gap, from: &file)
    else { return nil }
    locations.close(gap)
    func rebuild() {
      if let index = parts.firstIndex(where: { $0.name == "iloc" }) {
        parts[index] = locations.box
      }
      file[meta].body = Array(file[meta].body[..<4]) + parts.flatMap(\.bytes)
    }
    let before = file[meta].bytes.count
    rebuild()
    // The meta box precedes the data, so all offsets move with its length. The second pass writes
    // numbers of the same size.
    locations.shift(by: file[meta].bytes.count - before)
    rebuild()
    return file.flatMap(\.bytes)
  }

  /// Removes an item from the boxes that describe it.
  ///
  /// - Returns: the table of locations, which still contains the item.
  private static func remove(_ item: Int, from parts: inout [Box]) -> ItemLocations? {
    guard let information = parts.firstIndex(where: { $0.name == "iinf" }),
      let locations = parts.firstIndex(where: { $0.name == "iloc" }),
      let entries = removing(item, fromInformation: parts[information]),
      let table = ItemLocations(parts[locations])
    else { return nil }
    parts[information] = entries
    if let references = parts.firstIndex(where: { $0.name == "iref" }) {
      guard let rest = removing(item, fromReferences: parts[references]) else { return nil }
      if let rest { parts[references] = rest } else { parts.remove(at: references) }
    }
    return table
  }

  /// Cuts a range of the file out of the last `mdat` box. Returns false if it is not inside that
  /// box.
  private static func cut(_ range: Range<Int>, from file: inout [Box]) -> Bool {
    guard let data = file.lastIndex(where: { $0.name == "mdat" }) else { return false }
    let start = file[..<data].reduce(8) { $0 + $1.bytes.count }
    guard range.lowerBound >= start, range.upperBound <= start + file[data].body.count else {
      return false
    }
    file[data].body.removeSubrange(range.lowerBound - start..<range.upperBound - start)
    return true
  }

  /// The id of the first item of a type.
  private static func identifier(of type: String, in parts: [Box]) -> Int? {
    guard let information = parts.first(where: { $0.name == "iinf" }), information.body.count > 6
    else { return nil }
    return Box.list(information.body[6...])?.first { entry in
      entry.body.count >= 12 && entry.body[8..<12].elementsEqual(type.utf8)
    }.map { Int($0.body[4]) << 8 | Int($0.body[5]) }
  }

  private static func removing(_ item: Int, fromInformation box: Box) -> Box? {
    guard box.body.count > 6, box.body[0] == 0, let entries = Box.list(box.body[6...]) else {
      return nil
    }
    let rest = entries.filter { Int($0.body[4]) << 8 | Int($0.body[5]) != item }
    return Box(
      name: box.name,
      body: Array(box.body[..<4]) + UInt16(rest.count).bigEndianBytes + rest.flatMap(\.bytes))
  }

  /// The box without the item's references; `.some(nil)` if no reference is left, `nil` if the box
  /// cannot be read.
  private static func removing(_ item: Int, fromReferences box: Box) -> Box?? {
    guard box.body.count > 4, box.body[0] == 0, let references = Box.list(box.body[4...]) else {
      return nil
    }
    let rest = references.filter { Int($0.body[0]) << 8 | Int($0.body[1]) != item }
    guard !rest.isEmpty else { return .some(nil) }
    return Box(name: box.name, body: Array(box.body[..<4]) + rest.flatMap(\.bytes))
  }
}

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
