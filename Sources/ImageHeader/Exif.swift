/// The orientation in a block of Exif, which is a small TIFF file (Exif 2.32, section 4.5).
enum Exif {
  /// The value of tag 0x0112 in the first directory; nil where there is none, where it is none of
  /// the eight, or where the block is damaged: a picture is never refused for its Exif.
  ///
  /// Asks for the block's beginning and its directory, never for the rest (a thumbnail, mostly).
  static func orientation(
    _ file: borrowing HeaderView, from start: Int, to end: Int
  ) throws(HeaderStop) -> Orientation? {
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
    let directory = start + (isLittle ? try file.little32(start + 4) : try file.big32(start + 4))
    guard directory + 2 <= end else { return nil }
    let count = isLittle ? try file.little16(directory) : try file.big16(directory)
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard entry + 12 <= end else { return nil }
      let tag = isLittle ? try file.little16(entry) : try file.big16(entry)
      guard tag == 0x0112 else { continue }
      // Type 3 is SHORT, 4 LONG; some writers use the wrong one.
      switch isLittle ? try file.little16(entry + 2) : try file.big16(entry + 2) {
      case 3:
        return Orientation(
          rawValue: isLittle ? try file.little16(entry + 8) : try file.big16(entry + 8))
      case 4:
        return Orientation(
          rawValue: isLittle ? try file.little32(entry + 8) : try file.big32(entry + 8))
      default: return nil
      }
    }
    return nil
  }
}
