/// Truevision TGA 2.0. It has no signature at its start, so every field of its header must be
/// plausible.
enum TGAHeader: FormatReading {
  /// Whether the first 18 bytes can be a TGA header.
  static func isLikely(_ file: borrowing HeaderView) throws(HeaderStop) -> Bool {
    let mapType = try file.byte(1)
    let type = try file.byte(2)
    let depth = try file.byte(16)
    let descriptor = try file.byte(17)
    // Types 1 to 3 are mapped, true-colour and grey; 9 to 11 the same with run lengths. The upper
    // two bits of the descriptor are reserved.
    guard mapType <= 1, [1, 2, 3, 9, 10, 11].contains(type), descriptor & 0xC0 == 0 else {
      return false
    }
    let isMapped = type & 7 == 1
    if isMapped {
      guard mapType == 1, depth == 8 || depth == 16,
        [15, 16, 24, 32].contains(try file.byte(7)), try file.little16(5) > 0
      else { return false }
    } else {
      guard [1, 8, 15, 16, 24, 32].contains(depth), try file.little16(3) == 0 || mapType == 1 else {
        return false
      }
      if type & 7 == 3 ? ![1, 8, 16].contains(depth) : depth < 15 { return false }
    }
    let size = try (file.little16(12), file.little16(14))
    return size.0 > 0 && size.1 > 0
  }

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    ImageHeader(
      format: .tga, pixelWidth: try file.little16(12), pixelHeight: try file.little16(14),
      // Attribute bits per pixel.
      hasAlpha: try file.byte(17) & 15 > 0)
  }
}
