internal import TesseraSystem

/// Exif of a TIFF file (Exif 2.32, 4.6): there it is not a block, but some of the file's own tags and two further
/// directories. libvips 8.14 does not read it.
enum TIFFExif {
  /// Of a file's first picture, as a block of its own: a small TIFF file without a picture, in the byte order of
  /// the large one.
  ///
  /// - Parameter read: some bytes at a place, fewer at the file's end.
  /// - Returns: nil where there is none, and of a file of more than four gigabytes ("BigTIFF").
  static func block(
    _ read: (_ count: Int, _ offset: Int) throws(SystemError) -> [UInt8]
  ) throws(SystemError) -> [UInt8]? {
    let head = try read(8, 0)
    guard head.count == 8 else { return nil }
    let order: ByteOrder
    switch Array(head[..<4]) {
    case [0x49, 0x49, 42, 0]: order = .little
    case [0x4D, 0x4D, 0, 42]: order = .big
    default: return nil
    }
    var left = mostBytes
    func entries(
      at offset: Int?, where isWanted: (_ tag: Int) -> Bool
    ) throws(SystemError) -> [Entry] {
      guard let offset else { return [] }
      return try directory(at: offset, order, where: isWanted, left: &left, read)
    }
    let all = try entries(
      at: order.number(head[4..<8]), where: ownTags.union([exifTag, placeTag]).contains)
    // A maker's note has places in it that are relative to the file it was in.
    let kept = try entries(at: pointer(exifTag, in: all, order)) {
      ![makerNote, interoperability].contains($0)
    }
    let place = try entries(at: pointer(placeTag, in: all, order)) { _ in true }
    let own = all.filter { ownTags.contains($0.tag) }
    guard !(own.isEmpty && kept.isEmpty && place.isEmpty) else { return nil }
    return Array(head[..<4]) + written(own, kept, place, order)
  }

  /// Description, maker, model, software, date, artist, computer, copyright; Windows' title, comment, author,
  /// keywords, subject.
  private static let ownTags: Set<Int> = [
    270, 271, 272, 305, 306, 315, 316, 33432, 40091, 40092, 40093, 40094, 40095,
  ]
  private static let (exifTag, placeTag) = (34665, 34853)
  private static let (makerNote, interoperability) = (37500, 40965)
  /// What fits into the other formats: a segment of a JPEG.
  static let mostBytes = 60_000
  /// Bytes of one value, by the type's number; TIFF 6.0, section 2, and type 13 of its first supplement, a
  /// directory's place.
  private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

  private struct Entry {
    var tag: Int
    var type: Int
    var count: Int
    var value: [UInt8]
  }

  private enum ByteOrder {
    case little, big

    func number(_ bytes: ArraySlice<UInt8>) -> Int {
      let ordered = self == .big ? Array(bytes) : bytes.reversed()
      return ordered.reduce(0) { $0 << 8 | Int($1) }
    }

    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      let little = (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
      return self == .big ? little.reversed() : little
    }
  }

  private static func pointer(_ tag: Int, in entries: [Entry], _ order: ByteOrder) -> Int? {
    entries.first { $0.tag == tag && $0.value.count == 4 }.map { order.number($0.value[...]) }
  }

  /// The entries of a directory whose values are there and small enough.
  private static func directory(
    at offset: Int, _ order: ByteOrder, where isWanted: (_ tag: Int) -> Bool, left: inout Int,
    _ read: (_ count: Int, _ offset: Int) throws(SystemError) -> [UInt8]
  ) throws(SystemError) -> [Entry] {
    let count = order.number(try read(2, offset)[...])
    let rows = try read(min(count, 500) * 12, offset + 2)
    var entries: [Entry] = []
    for start in stride(from: 0, to: rows.count - 11, by: 12) {
      let tag = order.number(rows[start..<start + 2])
      guard isWanted(tag) else { continue }
      let type = order.number(rows[start + 2..<start + 4])
      let values = order.number(rows[start + 4..<start + 8])
      guard sizes.indices.contains(type), sizes[type] > 0 else { continue }
      let length = values * sizes[type]
      guard length > 0, length + 12 <= left else { continue }
      let value =
        length <= 4
        ? Array(rows[start + 8..<start + 8 + length])
        : try read(length, order.number(rows[start + 8..<start + 12]))
      guard value.count == length else { continue }
      left -= length + 12
      entries.append(Entry(tag: tag, type: type, count: values, value: value))
    }
    return entries
  }

  /// All behind the first four bytes: where the first directory is, and the three of them.
  private static func written(
    _ own: [Entry], _ exif: [Entry], _ place: [Entry], _ order: ByteOrder
  ) -> [UInt8] {
    func pointer(_ tag: Int, _ offset: Int) -> Entry {
      Entry(tag: tag, type: 4, count: 1, value: order.bytes(offset, 4))
    }
    // The pointers' values do not change how long the first directory is.
    func first(_ exifOffset: Int, _ placeOffset: Int) -> [UInt8] {
      var entries = own
      if !exif.isEmpty { entries.append(pointer(exifTag, exifOffset)) }
      if !place.isEmpty { entries.append(pointer(placeTag, placeOffset)) }
      return directory(entries.sorted { $0.tag < $1.tag }, at: 8, order)
    }
    let exifOffset = 8 + first(0, 0).count
    let exifBytes = exif.isEmpty ? [] : directory(exif, at: exifOffset, order)
    let placeOffset = exifOffset + exifBytes.count
    let placeBytes = place.isEmpty ? [] : directory(place, at: placeOffset, order)
    return order.bytes(8, 4) + first(exifOffset, placeOffset) + exifBytes + placeBytes
  }

  private static func directory(_ entries: [Entry], at start: Int, _ order: ByteOrder) -> [UInt8] {
    var rows = order.bytes(entries.count, 2)
    var values: [UInt8] = []
    // Count, rows, and the place of a next directory, of which there is none.
    let end = start + 2 + entries.count * 12 + 4
    for entry in entries {
      rows += order.bytes(entry.tag, 2) + order.bytes(entry.type, 2) + order.bytes(entry.count, 4)
      if entry.value.count <= 4 {
        rows += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        rows += order.bytes(end + values.count, 4)
        // Values begin at even places.
        values += entry.value + [UInt8](repeating: 0, count: entry.value.count % 2)
      }
    }
    return rows + [0, 0, 0, 0] + values
  }
}
