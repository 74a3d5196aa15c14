/// The orientation in a block of Exif, which is a small TIFF file (Exif 2.32, section 4.5).
enum Exif {
  /// The value of tag 0x0112 in the first directory. Nil if the tag is missing, if its value is not
  /// one of the eight, or if the block is damaged: damaged Exif does not make an image malformed.
  ///
  /// Requests the beginning of the block and its directory, never the rest (usually a thumbnail).
  static func orientation(
    _ file: borrowing HeaderView, from start: Int, to end: Int
  ) throws(HeaderStop) -> Orientation? {
    // A TIFF header of 8 bytes, a count of 2 and a link of 4 are the least.
    guard end - start >= 14 else { return nil }
    try file.require(start..<start + 8)
    let isLittle: Bool
    if try file.has("II*\0", at: start) {
      isLittle = true
    } else if try file.has("MM\0*", at: start) {
      isLittle = false
    } else {
      return nil
    }
    let directory = start + (try file.number32(start + 4, isLittle: isLittle))
    guard directory + 2 <= end else { return nil }
    let count = try file.number16(directory, isLittle: isLittle)
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard entry + 12 <= end else { return nil }
      guard try file.number16(entry, isLittle: isLittle) == 0x0112 else { continue }
      return Orientation(rawValue: try value(file, entry, block: start..<end, isLittle: isLittle))
    }
    return nil
  }

  /// The first number of a directory's entry, or 0. Orientation is a SHORT, but some programs write
  /// other types, and libexif, which libvips uses, accepts them.
  private static func value(
    _ file: borrowing HeaderView, _ entry: Int, block: Range<Int>, isLittle: Bool
  ) throws(HeaderStop) -> Int {
    let type = try file.number16(entry + 2, isLittle: isLittle)
    let count = try file.number32(entry + 4, isLittle: isLittle)
    let size: Int
    switch type {
    case 1, 2, 6: size = 1  // BYTE, ASCII, SBYTE
    case 3, 8: size = 2  // SHORT, SSHORT
    case 4, 9: size = 4  // LONG, SLONG
    case 5, 10: size = 8  // RATIONAL, SRATIONAL
    default: return 0
    }
    guard count > 0 else { return 0 }
    var place = entry + 8
    // A value of more than four bytes is elsewhere in the block (TIFF 6.0, section 2).
    if count > 4 / size {
      place = block.lowerBound + (try file.number32(place, isLittle: isLittle))
      // Damaged or hostile Exif may point anywhere; only the block itself counts.
      guard place + size <= block.upperBound else { return 0 }
    }
    switch size {
    // As ASCII, the value is a digit.
    case 1: return try file.byte(place) - (type == 2 ? Int(UInt8(ascii: "0")) : 0)
    case 2: return try file.number16(place, isLittle: isLittle)
    case 4: return try file.number32(place, isLittle: isLittle)
    default:
      let denominator = try file.number32(place + 4, isLittle: isLittle)
      return denominator > 0 ? try file.number32(place, isLittle: isLittle) / denominator : 0
    }
  }
}
