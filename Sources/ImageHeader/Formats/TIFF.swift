/// TIFF 6.0 and BigTIFF, in both byte orders: the first directory, at any place in the file.
enum TIFFHeader: FormatReading {
  /// The lengths of the fields of a directory, by the version of the file.
  private struct Layout {
    var isLittle: Bool
    var isBig: Bool
    var countSize: Int { isBig ? 8 : 2 }
    var entrySize: Int { isBig ? 20 : 12 }
    /// The length of offsets, and of counts of values.
    var offsetSize: Int { isBig ? 8 : 4 }
    /// Where in an entry its value is, and how many bytes of value fit there.
    var valueOffset: Int { isBig ? 12 : 8 }
    var inlineSize: Int { offsetSize }
  }

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let isLittle = try file.byte(0) == UInt8(ascii: "I")
    let version = try file.number16(2, isLittle: isLittle)
    let layout = Layout(isLittle: isLittle, isBig: version == 43)  // 42 is the classic version
    // Only the first directory is read, so chains of 30,000 directories, and cycles, cost nothing.
    let directory = try number(
      file, layout.isBig ? 8 : 4, size: layout.offsetSize, layout)
    // The header of the file has eight bytes, so a directory within it is damage.
    guard directory >= 8 else { throw .malformed("its directory begins at byte \(directory)") }
    let count = try number(file, directory, size: layout.countSize, layout)
    guard count > 0, count <= HeaderLimits.steps else {
      throw .malformed("its directory has \(count) entries")
    }
    try file.require(directory..<directory + layout.countSize + count * layout.entrySize)
    // 1 is the default of BitsPerSample (TIFF 6.0, section 8).
    var header = ImageHeader(format: .tiff, pixelWidth: 0, pixelHeight: 0, bitsPerChannel: 1)
    var seen: Set<Int> = []
    for index in 0..<count {
      let entry = directory + layout.countSize + index * layout.entrySize
      let tag = try number(file, entry, size: 2, layout)
      // Of a duplicate tag the first counts, as in libtiff.
      guard seen.insert(tag).inserted else { continue }
      // TIFF 6.0, section 8: ImageWidth, ImageLength, BitsPerSample, Orientation, ExtraSamples.
      switch tag {
      case 256: header.pixelWidth = try value(file, entry, layout)
      case 257: header.pixelHeight = try value(file, entry, layout)
      case 258: header.bitsPerChannel = try value(file, entry, layout)
      case 259: header.coded.compression = try value(file, entry, layout)
      case 262: header.coded.photometric = try value(file, entry, layout)
      case 274:
        // A damaged orientation does not make the image malformed.
        let isOne = try number(file, entry + 4, size: layout.offsetSize, layout) == 1
        let type = try number(file, entry + 2, size: 2, layout)
        if isOne, sizes[type] != nil {
          header.orientation = Orientation(rawValue: try value(file, entry, layout)) ?? .upright
        }
      // 1 and 2 are alpha; 0 is unspecified data.
      case 338: header.hasAlpha = try value(file, entry, layout) > 0
      // InterColorProfile (ICC.1, annex B.4).
      case 34675: header.hasICCProfile = true
      default: break
      }
    }
    return header
  }

  /// The length in bytes of each numeric type: BYTE, SHORT, LONG, their signed forms, and LONG8.
  private static let sizes = [1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4, 16: 8]

  /// A number of 1, 2, 4 or 8 bytes in the file's byte order.
  private static func number(
    _ file: borrowing HeaderView, _ offset: Int, size: Int, _ layout: Layout
  ) throws(HeaderStop) -> Int {
    switch (size, layout.isLittle) {
    case (1, _): try file.byte(offset)
    case (2, _): try file.number16(offset, isLittle: layout.isLittle)
    case (4, _): try file.number32(offset, isLittle: layout.isLittle)
    case (_, true): try file.little64(offset)
    case (_, false): try file.big64(offset)
    }
  }

  /// The first number of an entry, in the entry or at the place that it points to.
  private static func value(
    _ file: borrowing HeaderView, _ entry: Int, _ layout: Layout
  ) throws(HeaderStop) -> Int {
    let type = try number(file, entry + 2, size: 2, layout)
    let count = try number(file, entry + 4, size: layout.offsetSize, layout)
    guard let size = sizes[type] else {
      throw .malformed("an entry of its directory has the type \(type)")
    }
    guard count > 0, count <= HeaderLimits.steps else {
      throw .malformed("an entry of its directory has \(count) values")
    }
    var place = entry + layout.valueOffset
    if size * count > layout.inlineSize {
      place = try number(file, place, size: layout.offsetSize, layout)
    }
    return try number(file, place, size: size, layout)
  }
}
