/// HEIC (ISO/IEC 23008-12).
enum HEICHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try HEIFHeader.read(file, format: .heic)
  }
}

/// AVIF (AV1 Image File Format 1.1).
enum AVIFHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try HEIFHeader.read(file, format: .avif)
  }
}

/// The container of HEIC and AVIF, HEIF: the primary item's size and the properties that rotate,
/// mirror and crop it; for sequences without a primary item, the size of the first track.
///
/// The size is what libheif displays, because libvips reads these files through it: irot, imir and
/// clap apply, and an orientation in Exif does not.
private enum HEIFHeader {
  static func read(
    _ file: borrowing HeaderView, format: ImageFormat
  ) throws(HeaderStop) -> ImageHeader {
    var walk = BoxWalk(from: 0, to: nil)
    var isSequence = false
    var brandEdit: CodedSamples.Edit?
    while let box = try walk.next(file) {
      if box.type == Box.type("ftyp") {
        isSequence = HEIFBrand.isSequence(try file.big32(box.start))
        brandEdit = try HEIFBrand.edit(file, box, format)
      } else if box.type == Box.type("meta") {
        guard let end = box.end else { throw .malformed("its meta box has no end") }
        // A full box: version and flags come before the content.
        let items = try HEIFItems(file, from: box.start + 4, to: end)
        var header = try items.header(file, format: format)
        header.isAnimated = isSequence
        if let brandEdit { header.coded.edits.append(brandEdit) }
        return header
      } else if box.type == Box.type("moov") {
        guard let end = box.end else { throw .malformed("its movie box has no end") }
        if let movie = try track(file, from: box.start, to: end, format: format) { return movie }
      }
    }
    throw .malformed("it has no meta box")
  }

  /// The first track of a sequence that has a size, which makes it a visible one.
  private static func track(
    _ file: borrowing HeaderView, from start: Int, to end: Int, format: ImageFormat
  ) throws(HeaderStop) -> ImageHeader? {
    var walk = BoxWalk(from: start, to: end)
    while let box = try walk.next(file) {
      guard box.type == Box.type("trak"), let boxEnd = box.end else { continue }
      var inner = BoxWalk(from: box.start, to: boxEnd)
      while let part = try inner.next(file) {
        guard part.type == Box.type("tkhd"), let partEnd = part.end else { continue }
        // Width and height are the last fields, as 16.16 fixed-point numbers (14496-12, 8.3.2).
        let width = try file.big32(partEnd - 8) >> 16
        let height = try file.big32(partEnd - 4) >> 16
        guard width > 0, height > 0 else { continue }
        return ImageHeader(
          format: format, pixelWidth: width, pixelHeight: height, isAnimated: true)
      }
    }
    return nil
  }
}
