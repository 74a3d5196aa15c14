/// DirectDraw surfaces.
enum DDSHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    guard try file.little32(4) == 124 else { throw .malformed("its header has a wrong length") }
    // DDPF_ALPHAPIXELS in the pixel format's flags.
    return ImageHeader(
      format: .dds, pixelWidth: try file.little32(16), pixelHeight: try file.little32(12),
      hasAlpha: try file.little32(80) & 1 != 0)
  }
}
