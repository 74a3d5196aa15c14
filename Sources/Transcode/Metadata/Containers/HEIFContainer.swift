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
