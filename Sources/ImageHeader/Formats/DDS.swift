/// DirectDraw surfaces (Microsoft's DDS_HEADER).
enum DDSHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    // dwSize, which the format fixes at 124.
    guard try file.little32(4) == 124 else { throw .malformed("its header length is not 124") }
    // DDPF_ALPHAPIXELS in the flags of the pixel format.
    return ImageHeader(
      format: .dds, pixelWidth: try file.little32(16), pixelHeight: try file.little32(12),
      hasAlpha: try file.little32(80) & 1 != 0)
  }
}
