/// PNG and APNG (W3C PNG, third edition): IHDR, and what the chunks before the first IDAT tell of
/// orientation, transparency, animation and a profile.
///
/// The size stands in the first 33 bytes. Of the chunks behind, the first with Exif is worth asking for:
/// it may turn the picture. (Texts of some length stand before the pixels in 3 of 100 files, which
/// then take a second request.) Behind the first IDAT it does not count: who decodes from the
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
    do throws(HeaderStop) {
      try readChunks(file, &header)
    } catch {
      if case .malformed = error { throw error }
      try error.endsRefinement(of: file)
    }
    return header
  }

  private static func readChunks(
    _ file: borrowing HeaderView, _ header: inout ImageHeader
  ) throws(HeaderStop) {
    var offset = 33
    var orientation: Orientation?
    for _ in 0..<HeaderLimits.steps {
      let length = try file.big32(offset)
      guard length <= 0x7FFF_FFFF else {
        throw .malformed("one of its chunks is \(length) bytes long (byte \(offset))")
      }
      if try file.has("IDAT", at: offset + 4) { return }
      if try file.has("IEND", at: offset + 4) { throw .malformed("it has no pixels (IDAT)") }
      if try file.has("tRNS", at: offset + 4) { header.hasAlpha = true }
      if try file.has("iCCP", at: offset + 4) { header.hasICCProfile = true }
      if try file.has("eXIf", at: offset + 4), orientation == nil {
        let start = offset + 8
        orientation =
          try Exif.orientation(file, from: start, to: start + length) ?? .upright
        header.orientation = orientation ?? .upright
      }
      if try file.has("acTL", at: offset + 4) {
        header.frames = try file.big32(offset + 8)
        header.isAnimated = try file.big32(offset + 8) > 1
      }
      offset += 12 + length
    }
  }
}
