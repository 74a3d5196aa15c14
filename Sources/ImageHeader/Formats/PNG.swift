/// PNG and APNG (W3C PNG, third edition): IHDR, and the orientation, transparency, animation and
/// profile that the chunks before the first IDAT state.
///
/// The size is in the first 33 bytes. Of the chunks after them, the first with Exif is worth a
/// request, because it may rotate the image. (In 3 of 100 files long texts precede the pixels;
/// these files take a second request.) After the first IDAT Exif does not count: a decoder that
/// reads from the beginning meets it too late.
enum PNGHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try file.require(8..<33)
    guard try file.has("IHDR", at: 12), try file.big32(8) == 13 else {
      throw .malformed("its first chunk is not IHDR")
    }
    let width = try file.big32(16)
    let height = try file.big32(20)
    let depth = try file.byte(24)
    let colourType = try file.byte(25)
    // Sections 7.1 (31-bit numbers) and 11.2.1 (types and depths).
    guard width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF, [0, 2, 3, 4, 6].contains(colourType),
      [1, 2, 4, 8, 16].contains(depth)
    else { throw .malformed("its header chunk (IHDR) has invalid values") }
    var header = ImageHeader(
      format: .png, pixelWidth: width, pixelHeight: height,
      hasAlpha: colourType == 4 || colourType == 6, bitsPerChannel: depth)
    // The caller rejects a size of 0 with its own message.
    guard width > 0, height > 0 else { return header }
    do throws(HeaderStop) {
      try readChunks(file, &header)
    } catch {
      // A damaged chunk rejects the file. Chunks that are cut off do not: the size is known.
      if case .malformed = error { throw error }
      try file.endRefinement(error)
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
      // PNG's numbers have 31 bits (section 7.1).
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
      if try file.has("acTL", at: offset + 4) {  // APNG: the number of frames, then of loops
        header.frames = try file.big32(offset + 8)
        header.isAnimated = try file.big32(offset + 8) > 1
      }
      offset += 12 + length  // length, type, content, CRC
    }
  }
}
