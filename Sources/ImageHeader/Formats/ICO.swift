/// Icons and cursors of Windows: the size of the largest image in the file, by the directory, in
/// which a side of 0 means 256, unless the image's own header says otherwise. That header decides: the
/// directory cannot state more than 256, and may be wrong.
enum ICOHeader: FormatReading {
  /// How many images a file may have: part of its signature.
  static let counts = 1...HeaderLimits.steps

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let count = try file.little16(4)
    try file.require(6..<6 + count * 16)
    var best = (width: 0, height: 0, entry: 6)
    for index in 0..<count {
      let entry = 6 + index * 16
      let width = try file.byte(entry)
      let height = try file.byte(entry + 1)
      var size = (width: width == 0 ? 256 : width, height: height == 0 ? 256 : height)
      if width == 0 || height == 0 { size = try ownSize(file, entry) ?? size }
      if size.width * size.height > best.width * best.height {
        best = (size.width, size.height, entry)
      }
    }
    // Bitmaps in an icon have a mask, and PNGs mostly have an alpha channel.
    var header = ImageHeader(
      format: .ico, pixelWidth: best.width, pixelHeight: best.height, hasAlpha: true)
    if let size = try ownSize(file, best.entry) { (header.pixelWidth, header.pixelHeight) = size }
    return header
  }

  private static func ownSize(
    _ file: borrowing HeaderView, _ entry: Int
  ) throws(HeaderStop) -> (width: Int, height: Int)? {
    do throws(HeaderStop) {
      return try size(file, at: file.little32(entry + 12))
    } catch {
      try file.endRefinement(error)
      return nil
    }
  }

  /// The size in the header of an image: a PNG, or a bitmap with its mask below it. Nil if it is
  /// neither.
  private static func size(
    _ file: borrowing HeaderView, at offset: Int
  ) throws(HeaderStop) -> (width: Int, height: Int)? {
    // Directory header and one entry come first.
    guard offset >= 22 else { return nil }
    try file.require(offset..<offset + 24)
    if try file.big32(offset) == 0x8950_4E47, try file.has("IHDR", at: offset + 12) {
      let size = (width: try file.big32(offset + 16), height: try file.big32(offset + 20))
      // Areas are compared, and must not overflow.
      guard size.width <= HeaderLimits.longestSide, size.height <= HeaderLimits.longestSide else {
        throw .malformed("its image is larger than a PNG can be")
      }
      return size
    }
    guard try BMPHeader.isLength(file.little32(offset)), try file.little32(offset) >= 16 else {
      return nil
    }
    let width = try file.littleSigned32(offset + 4)
    // The height counts the mask, too.
    let height = try abs(file.littleSigned32(offset + 8)) / 2
    // Only a PNG in an icon may be larger than the directory can state. A larger bitmap is an
    // attack.
    return (1...256).contains(width) && (1...256).contains(height) ? (width, height) : nil
  }
}
