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

/// The brands of ISO base media files that hold images (ISO/IEC 23008-12, section 10; AVIF 1.1,
/// section 8). A file of a general brand, mostly `mif1`, lists in its compatible brands what it
/// holds.
enum HEIFBrand {
  private static let avif: [StaticString] = ["avif", "avis"]
  private static let heic: [StaticString] = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs",
  ]
  private static let general: [StaticString] = ["mif1", "msf1", "miaf", "1pic"]
  private static let sequences: [StaticString] = ["avis", "msf1", "hevc", "hevx", "hevm", "hevs"]

  /// The format of a file that begins with an `ftyp` box; nil if it does not hold images.
  static func format(of file: borrowing HeaderView) throws(HeaderStop) -> ImageFormat? {
    let length = try file.big32(0)
    let major = try file.big32(8)
    if contains(avif, major) { return .avif }
    if contains(heic, major) { return .heic }
    guard contains(general, major) else { return nil }
    // 60 compatible brands are more than any file has.
    // From 16 on: the bytes after the major brand are its minor version (14496-12, section 4.3).
    for offset in stride(from: 16, to: min(length, 256) - 3, by: 4) {
      if contains(avif, try file.big32(offset)) { return .avif }
    }
    return .heic
  }

  /// Whether files of a major brand are image sequences.
  static func isSequence(_ major: Int) -> Bool { contains(sequences, major) }

  /// What makes libheif 1.15 accept a sequence that has a still image as well, and does not say so: a brand of stills in
  /// place of the first compatible one.
  static func edit(
    _ file: borrowing HeaderView, _ box: Box, _ format: ImageFormat
  ) throws(HeaderStop) -> CodedSamples.Edit? {
    guard isSequence(try file.big32(box.start)), let end = box.end, end >= box.start + 12 else {
      return nil
    }
    for offset in stride(from: box.start + 8, to: min(end, box.start + 248) - 3, by: 4) {
      if contains(["avif", "heic", "heix", "mif1"], try file.big32(offset)) { return nil }
    }
    let brand = format == .avif ? "avif" : "heic"
    return CodedSamples.Edit(at: box.start + 8, Array(brand.utf8))
  }

  private static func contains(_ brands: [StaticString], _ brand: Int) -> Bool {
    brands.contains { Box.type($0) == brand }
  }
}
