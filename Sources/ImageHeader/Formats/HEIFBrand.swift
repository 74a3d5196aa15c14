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
