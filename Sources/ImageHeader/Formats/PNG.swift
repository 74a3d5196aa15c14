/// PNG and APNG (W3C PNG, third edition): IHDR, and what the chunks before the first IDAT tell of
/// orientation, transparency, animation and a profile.
///
/// The size stands in the first 33 bytes. Of the chunks behind, Exif is worth asking for: it may turn
/// the picture. But not behind texts, which its writers put last (of 4,000 files 2 % would cost a
/// request more, for nothing), and behind the first IDAT it does not count: who decodes from the
/// beginning does not see it in time.
enum PNGHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try file.require(8..<33)
    guard try file.has("IHDR", at: 12), try file.big32(8) == 13 else {
      throw .malformed("it does not begin with its header chunk (IHDR)")
    }
    let width = try file.big32(16)
    let height = try file.big32(20)
    let depth = try file.byte(24)
    let colourType = try file.byte(25)
    guard width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF, [0, 2, 3, 4, 6].contains(colourType),
      [1, 2, 4, 8, 16].contains(depth)
    else { throw .malformed("its header chunk (IHDR) says what can't be") }
    var header = ImageHeader(
      format: .png, pixelWidth: width, pixelHeight: height,
      hasAlpha: colourType == 4 || colourType == 6, bitsPerChannel: depth)
    guard width > 0, height > 0 else { return header }
    var hasText = false
    do throws(HeaderStop) {
      try readChunks(file, &header, &hasText)
    } catch {
      if case .malformed = error { throw error }
      if !hasText { try error.endsRefinement(of: file) }
    }
    return header
  }

  private static func readChunks(
    _ file: borrowing HeaderView, _ header: inout ImageHeader, _ hasText: inout Bool
  ) throws(HeaderStop) {
    var offset = 33
    for _ in 0..<HeaderLimits.steps {
      let length = try file.big32(offset)
      guard length <= 0x7FFF_FFFF else {
        throw .malformed("one of its chunks is \(length) bytes long (byte \(offset))")
      }
      if try file.has("IDAT", at: offset + 4) { return }
      if try file.has("IEND", at: offset + 4) { throw .malformed("it has no pixels (IDAT)") }
      // tEXt, iTXt, zTXt
      if try file.has("Xt", at: offset + 6) { hasText = true }
      if try file.has("tRNS", at: offset + 4) { header.hasAlpha = true }
      if try file.has("iCCP", at: offset + 4) { header.hasICCProfile = true }
      if try file.has("eXIf", at: offset + 4) {
        let start = offset + 8
        // Some writers put JPEG's "Exif\0\0" before the block.
        let hasPrefix = length >= 6 ? try file.has("Exif\0\0", at: start) : false
        header.orientation =
          try Exif.orientation(file, from: start + (hasPrefix ? 6 : 0), to: start + length)
          ?? .upright
      }
      if try file.has("acTL", at: offset + 4) {
        header.frames = try file.big32(offset + 8)
        header.isAnimated = try file.big32(offset + 8) > 1
      }
      offset += 12 + length
    }
  }
}
