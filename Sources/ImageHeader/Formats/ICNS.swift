/// Apple's icons: the size of the largest icon in the file. The type of an icon implies its size.
enum ICNSHeader: FormatReading {
  /// The side in pixels of each type: those of Apple's IconStorage.h, and the later ones whose
  /// content is PNG or JPEG 2000.
  private static let sizes: [String: Int] = [
    "ICON": 32, "ICN#": 32, "icm#": 16, "icm4": 16, "icm8": 16, "ics#": 16, "ics4": 16, "ics8": 16,
    "is32": 16, "s8mk": 16, "icl4": 32, "icl8": 32, "il32": 32, "l8mk": 32, "ich#": 48, "ich4": 48,
    "ich8": 48, "ih32": 48, "h8mk": 48, "it32": 128, "t8mk": 128, "icp4": 16, "icp5": 32,
    "icp6": 64, "ic04": 16, "ic05": 32, "ic07": 128, "ic08": 256, "ic09": 512, "ic10": 1024,
    "ic11": 32, "ic12": 64, "ic13": 256, "ic14": 512,
  ]

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let end = try file.big32(4)
    var offset = 8
    var best = 0
    for _ in 0..<HeaderLimits.steps where offset + 8 <= end {
      try file.require(offset..<offset + 8)
      var name = ""
      for index in 0..<4 {
        name.unicodeScalars.append(Unicode.Scalar(UInt8(try file.byte(offset + index))))
      }
      let length = try file.big32(offset + 4)
      // The length counts the eight bytes of type and length, too.
      guard length >= 8 else { throw .malformed("one of its icons is \(length) bytes long") }
      best = max(best, sizes[name] ?? 0)
      offset += length
    }
    guard best > 0 else { throw .malformed("it holds no icon of a known type") }
    return ImageHeader(format: .icns, pixelWidth: best, pixelHeight: best, hasAlpha: true)
  }
}
