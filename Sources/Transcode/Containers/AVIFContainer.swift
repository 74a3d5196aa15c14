internal import TesseraPlan

/// The items of an AVIF file (ISO/IEC 23008-12), as libheif writes them.
enum AVIFContainer {
  /// Removes the Exif item where it is not to be kept, and its bytes. Returns nil where the file is built in
  /// another way than libheif builds it.
  static func clean(_ bytes: [UInt8], keeping kept: MetadataPolicy) -> [UInt8]? {
    guard var file = Box.list(bytes[...]) else { return nil }
    guard let meta = file.firstIndex(where: { $0.name == "meta" }), file[meta].body.count > 4,
      var parts = Box.list(file[meta].body[4...])
    else { return nil }
    guard !kept.contains(.exif), let exif = identifier(of: "Exif", in: parts) else { return bytes }
    guard let information = parts.firstIndex(where: { $0.name == "iinf" }),
      let locations = parts.firstIndex(where: { $0.name == "iloc" }),
      let entries = removing(exif, fromInformation: parts[information]),
      var table = ItemLocations(parts[locations]), let place = table.remove(exif)
    else { return nil }
    parts[information] = entries
    if let references = parts.firstIndex(where: { $0.name == "iref" }) {
      guard let rest = removing(exif, fromReferences: parts[references]) else { return nil }
      if let rest { parts[references] = rest } else { parts.remove(at: references) }
    }
    guard let data = file.lastIndex(where: { $0.name == "mdat" }) else { return nil }
    let start = file[..<data].reduce(8) { $0 + $1.bytes.count }
    guard place.lowerBound >= start, place.upperBound <= start + file[data].body.count else {
      return nil
    }
    file[data].body.removeSubrange(place.lowerBound - start..<place.upperBound - start)
    table.close(place)
    func rebuild() {
      if let index = parts.firstIndex(where: { $0.name == "iloc" }) { parts[index] = table.box }
      file[meta].body = Array(file[meta].body[..<4]) + parts.flatMap(\.bytes)
    }
    let before = file[meta].bytes.count
    rebuild()
    // What comes behind the description has moved forward with it.
    table.shift(by: file[meta].bytes.count - before)
    rebuild()
    return file.flatMap(\.bytes)
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

  /// Nil in the answer where no reference is left; no answer where the box can't be read.
  private static func removing(_ item: Int, fromReferences box: Box) -> Box?? {
    guard box.body.count > 4, box.body[0] == 0, let references = Box.list(box.body[4...]) else {
      return nil
    }
    let rest = references.filter { Int($0.body[0]) << 8 | Int($0.body[1]) != item }
    guard !rest.isEmpty else { return .some(nil) }
    return Box(name: box.name, body: Array(box.body[..<4]) + rest.flatMap(\.bytes))
  }
}

/// An `iloc` box of version 0 with numbers of four bytes, and one stretch of the file an item.
private struct ItemLocations {
  private struct Item {
    /// The id, and which file it is in.
    var head: [UInt8]
    /// Where its bytes begin; libheif tells all of it in the base.
    var offset: Int
    var length: Int
    var identifier: Int { Int(head[0]) << 8 | Int(head[1]) }
  }

  private let head: [UInt8]
  private var items: [Item] = []

  init?(_ box: Box) {
    let body = box.body
    // Version; four bytes each for offset, length and base.
    guard body.count >= 8, body[0] == 0, body[4] == 0x44, body[5] == 0x40 else { return nil }
    head = Array(body[..<6])
    let count = Int(body[6]) << 8 | Int(body[7])
    guard body.count == 8 + count * 18 else { return nil }
    for start in stride(from: 8, to: body.count, by: 18) {
      func number(_ place: Int) -> Int {
        body[start + place..<start + place + 4].reduce(0) { $0 << 8 | Int($1) }
      }
      guard body[start + 8] == 0, body[start + 9] == 1 else { return nil }
      items.append(
        Item(
          head: Array(body[start..<start + 4]), offset: number(4) + number(10), length: number(14)))
    }
  }

  /// Where the item's bytes stood in the file; nil where there is no such item.
  mutating func remove(_ identifier: Int) -> Range<Int>? {
    guard let index = items.firstIndex(where: { $0.identifier == identifier }) else { return nil }
    let item = items.remove(at: index)
    return item.offset..<item.offset + item.length
  }

  mutating func shift(by distance: Int) {
    for index in items.indices { items[index].offset += distance }
  }

  /// Moves what begins behind a place that was cut out.
  mutating func close(_ gap: Range<Int>) {
    for index in items.indices where items[index].offset >= gap.upperBound {
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
