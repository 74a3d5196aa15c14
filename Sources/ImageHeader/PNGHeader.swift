/// PNG and APNG (W3C PNG, third edition): IHDR, then the chunks before the first IDAT, which tell
/// of transparency, animation and a profile.
enum PNGHeader {
  static func read(_ bytes: Span<UInt8>) throws(HeaderStop) -> ImageHeader {
    guard try bytes.has("IHDR", at: 12), try bytes.bigEndian32(8) == 13 else {
      throw .malformed("a PNG picture that does not begin with its header chunk (IHDR)")
    }
    let width = try bytes.bigEndian32(16)
    let height = try bytes.bigEndian32(20)
    let depth = try bytes.byte(24)
    let colourType = try bytes.byte(25)
    guard width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF, [0, 2, 3, 4, 6].contains(colourType) else {
      throw .malformed("a PNG picture with an impossible header chunk (IHDR)")
    }
    var header = ImageHeader(
      format: .png, pixelWidth: width, pixelHeight: height,
      hasAlpha: colourType == 4 || colourType == 6, bitsPerChannel: depth)
    // Told as what it is before anything else is looked for.
    if width == 0 || height == 0 { return header }
    var offset = 33
    for _ in 0..<HeaderCeiling.steps {
      let length = try bytes.bigEndian32(offset)
      guard length <= 0x7FFF_FFFF else {
        throw .malformed("a PNG picture with a chunk of \(length) bytes (byte \(offset))")
      }
      if try bytes.has("IDAT", at: offset + 4) { return header }
      if bytes.matches("IEND", at: offset + 4) {
        throw .malformed("a PNG picture without any pixels (IDAT)")
      }
      if bytes.matches("tRNS", at: offset + 4) { header.hasAlpha = true }
      if bytes.matches("iCCP", at: offset + 4) { header.hasICCProfile = true }
      if bytes.matches("acTL", at: offset + 4) {
        header.isAnimated = try bytes.bigEndian32(offset + 8) > 1
      }
      offset += 12 + length
    }
    throw .malformed("a PNG picture with too many chunks before its pixels")
  }
}
