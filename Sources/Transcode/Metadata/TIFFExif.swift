/// The Exif of a TIFF file (Exif 2.32, 4.6). There it is not a block but some of the file's own
/// tags and two further directories. libvips 8.14 does not read it.
enum TIFFExif {
  /// Reads up to `count` bytes at an offset; fewer at the end of the file.
  typealias Read = (_ count: Int, _ offset: Int) -> [UInt8]

  /// The Exif of a file's first image as a block of its own: a small TIFF file without an image, in
  /// the same byte order.
  ///
  /// - Returns: nil if there is none, or if the file is a BigTIFF (64-bit offsets).
  static func block(_ read: Read) -> [UInt8]? {
    let head = read(8, 0)
    guard head.count == 8, let order = ByteOrder(mark: Array(head[..<4])) else { return nil }
    var budget = maximumBytes
    func entries(
      at offset: Int?, where isWanted: (_ tag: Int) -> Bool
    ) -> [Entry] {
      guard let offset else { return [] }
      return directory(at: offset, order, where: isWanted, budget: &budget, read)
    }
    // At most three directories are read, and none leads on to another: offsets in a cycle are
    // harmless.
    let all = entries(
      at: order.number(head[4..<8]), where: ownTags.union([exifTag, gpsTag]).contains)
    // Offsets in a maker note are relative to the original file, so the note would be invalid.
    let exif = entries(at: pointer(exifTag, in: all, order)) {
      ![makerNote, interoperability].contains($0)
    }
    let gps = entries(at: pointer(gpsTag, in: all, order)) { _ in true }
    let own = all.filter { ownTags.contains($0.tag) }
    guard !(own.isEmpty && exif.isEmpty && gps.isEmpty) else { return nil }
    return Array(head[..<4]) + written(own, exif, gps, order)
  }

  /// Description, maker, model, software, date, artist, computer, copyright; Windows' title,
  /// comment, author, keywords, subject.
  private static let ownTags: Set<Int> = [
    270, 271, 272, 305, 306, 315, 316, 33432, 40091, 40092, 40093, 40094, 40095,
  ]
  private static let (exifTag, gpsTag) = (34665, 34853)
  private static let (makerNote, interoperability) = (37500, 40965)
  /// What also fits into a JPEG segment, whose length has 16 bits.
  static let maximumBytes = 60_000
  /// The size of one value, by type number: TIFF 6.0, section 2, and type 13 (a directory's offset)
  /// from its first supplement.
  private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
  /// Real directories have some fifty entries.
  private static let maximumEntries = 500

  private struct Entry {
    var tag: Int
    var type: Int
    var count: Int
    var value: [UInt8]
  }

  private enum ByteOrder {
    case little, big

    /// - Parameter mark: the first four bytes of a TIFF file: the byte order and the number 42.
    init?(mark: [UInt8]) {
      switch mark {
      case [0x49, 0x49, 42, 0]: self = .little
      case [0x4D, 0x4D, 0, 42]: self = .big
      default: return nil
      }
    }

    func number(_ bytes: ArraySlice<UInt8>) -> Int {
      let ordered = self == .big ? Array(bytes) : bytes.reversed()
      return ordered.reduce(0) { $0 << 8 | Int($1) }
    }

    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      let little = (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
      return self == .big ? little.reversed() : little
    }
  }

  // MARK: Reading

  private static func pointer(_ tag: Int, in entries: [Entry], _ order: ByteOrder) -> Int? {
    entries.first { $0.tag == tag && $0.value.count == 4 }.map { order.number($0.value[...]) }
  }

  /// The wanted entries of a directory whose values are complete and fit into the budget.
  private static func directory(
    at offset: Int, _ order: ByteOrder, where isWanted: (_ tag: Int) -> Bool, budget: inout Int,
    _ read: Read
  ) -> [Entry] {
    let count = order.number(read(2, offset)[...])
    let rows = read(min(count, maximumEntries) * 12, offset + 2)
    var entries: [Entry] = []
    // A row of 12 bytes: tag, type, count, and the value, or its offset if it has more than four
    // bytes.
    for start in stride(from: 0, to: rows.count - 11, by: 12) {
      let tag = order.number(rows[start..<start + 2])
      guard isWanted(tag) else { continue }
      let type = order.number(rows[start + 2..<start + 4])
      let values = order.number(rows[start + 4..<start + 8])
      guard sizes.indices.contains(type), sizes[type] > 0 else { continue }
      let length = values * sizes[type]
      guard length > 0, length + 12 <= budget else { continue }
      let value =
        length <= 4
        ? Array(rows[start + 8..<start + 8 + length])
        : read(length, order.number(rows[start + 8..<start + 12]))
      guard value.count == length else { continue }
      budget -= length + 12
      entries.append(Entry(tag: tag, type: type, count: values, value: value))
    }
    return entries
  }

  // MARK: Writing

  /// Everything after the first four bytes: the offset of the first directory, then all three of
  /// them.
  private static func written(
    _ own: [Entry], _ exif: [Entry], _ gps: [Entry], _ order: ByteOrder
  ) -> [UInt8] {
    func pointer(_ tag: Int, _ offset: Int) -> Entry {
      Entry(tag: tag, type: 4, count: 1, value: order.bytes(offset, 4))
    }
    func first(_ exifOffset: Int, _ gpsOffset: Int) -> [UInt8] {
      var entries = own
      if !exif.isEmpty { entries.append(pointer(exifTag, exifOffset)) }
      if !gps.isEmpty { entries.append(pointer(gpsTag, gpsOffset)) }
      return directory(entries.sorted { $0.tag < $1.tag }, at: 8, order)
    }
    // The length of the first directory does not depend on the values of its pointers.
    let exifOffset = 8 + first(0, 0).count
    let exifBytes = exif.isEmpty ? [] : directory(exif, at: exifOffset, order)
    let gpsOffset = exifOffset + exifBytes.count
    let gpsBytes = gps.isEmpty ? [] : directory(gps, at: gpsOffset, order)
    return order.bytes(8, 4) + first(exifOffset, gpsOffset) + exifBytes + gpsBytes
  }

  private static func directory(_ entries: [Entry], at start: Int, _ order: ByteOrder) -> [UInt8] {
    var rows = order.bytes(entries.count, 2)
    var values: [UInt8] = []
    // After the count and the rows comes the offset of the next directory, which is always 0.
    let end = start + 2 + entries.count * 12 + 4
    for entry in entries {
      rows += order.bytes(entry.tag, 2) + order.bytes(entry.type, 2) + order.bytes(entry.count, 4)
      if entry.value.count <= 4 {
        rows += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        rows += order.bytes(end + values.count, 4)
        // Values begin at even offsets.
        values += entry.value + [UInt8](repeating: 0, count: entry.value.count % 2)
      }
    }
    return rows + [0, 0, 0, 0] + values
  }
}
