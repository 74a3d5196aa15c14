/// Photoshop documents: PSD (version 1) and PSB (version 2).
enum PSDHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let version = try file.big16(4)
    guard version == 1 || version == 2 else { throw .malformed("its version is \(version)") }
    let channels = try file.big16(12)
    // Channels of the colour modes grey, RGB, CMYK and Lab; one more is alpha.
    let colours = [1: 1, 3: 3, 4: 4, 9: 3][try file.big16(24)]
    return ImageHeader(
      format: .psd, pixelWidth: try file.big32(18), pixelHeight: try file.big32(14),
      hasAlpha: colours.map { channels > $0 } ?? false, bitsPerChannel: try file.big16(22))
  }
}
