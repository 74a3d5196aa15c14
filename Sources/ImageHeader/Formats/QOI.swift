/// QOI (The Quite OK Image Format, specification version 1.0).
enum QOIHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    ImageHeader(
      format: .qoi, pixelWidth: try file.big32(4), pixelHeight: try file.big32(8),
      // The number of channels: 3 is RGB, 4 is RGBA.
      hasAlpha: try file.byte(12) == 4)
  }
}
