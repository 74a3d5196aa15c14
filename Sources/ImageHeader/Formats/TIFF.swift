/// TIFF 6.0 and BigTIFF, in both byte orders: the first directory, wherever it stands.
enum TIFFHeader {
  /// A directory's entries and how to read them.
  private struct Layout {
    var isLittle: Bool
    var isBig: Bool
    var countSize: Int { isBig ? 8 : 2 }
    var entrySize: Int { isBig ? 20 : 12 }
    /// Where an entry's value stands in it, and how many bytes of value fit there.
    var valueOffset: Int { isBig ? 12 : 8 }
    var inlineSize: Int { isBig ? 8 : 4 }
  }

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let isLittle = try file.byte(0) == UInt8(ascii: "I")
    let version = isLittle ? try file.little16(2) : try file.big16(2)
    let layout = Layout(isLittle: isLittle, isBig: version == 43)
    let directory = layout.isBig ? try long8(file, 8, layout) : try long(file, 4, layout)
    guard directory >= 8 else { throw .malformed("its directory begins at byte \(directory)") }
    let count =
      layout.isBig ? try long8(file, directory, layout) : try short(file, directory, layout)
    guard count > 0, count <= HeaderLimits.steps else {
      throw .malformed("its directory has \(count) entries")
    }
    try file.require(directory..<directory + layout.countSize + count * layout.entrySize)
    var header = ImageHeader(format: .tiff, pixelWidth: 0, pixelHeight: 0, bitsPerChannel: 1)
    for index in 0..<count {
      let entry = directory + layout.countSize + index * layout.entrySize
      switch try short(file, entry, layout) {
      case 256: header.pixelWidth = try value(file, entry, layout)
      case 257: header.pixelHeight = try value(file, entry, layout)
      case 258: header.bitsPerChannel = try value(file, entry, layout)
      case 274:
        header.orientation = Orientation(rawValue: try value(file, entry, layout)) ?? .upright
      case 338: header.hasAlpha = true  // ExtraSamples
      case 34675: header.hasICCProfile = true
      default: break
      }
    }
    return header
  }

  private static func short(
    _ file: borrowing HeaderView, _ offset: Int, _ layout: Layout
  ) throws(HeaderStop) -> Int {
    try layout.isLittle ? file.little16(offset) : file.big16(offset)
  }

  private static func long(
    _ file: borrowing HeaderView, _ offset: Int, _ layout: Layout
  ) throws(HeaderStop) -> Int {
    try layout.isLittle ? file.little32(offset) : file.big32(offset)
  }

  private static func long8(
    _ file: borrowing HeaderView, _ offset: Int, _ layout: Layout
  ) throws(HeaderStop) -> Int {
    try layout.isLittle ? file.little64(offset) : file.big64(offset)
  }

  /// The first number of an entry: a byte, SHORT, LONG or LONG8, in the entry or where it points to.
  private static func value(
    _ file: borrowing HeaderView, _ entry: Int, _ layout: Layout
  ) throws(HeaderStop) -> Int {
    let type = try short(file, entry + 2, layout)
    let count =
      layout.isBig ? try long8(file, entry + 4, layout) : try long(file, entry + 4, layout)
    let size = [1: 1, 3: 2, 4: 4, 16: 8][type] ?? 0
    guard size > 0, count > 0, count <= HeaderLimits.steps else {
      throw .malformed("a number in its directory is of type \(type)")
    }
    var place = entry + layout.valueOffset
    if size * count > layout.inlineSize {
      place = layout.isBig ? try long8(file, place, layout) : try long(file, place, layout)
    }
    switch type {
    case 1: return try file.byte(place)
    case 3: return try short(file, place, layout)
    case 4: return try long(file, place, layout)
    default: return try long8(file, place, layout)
    }
  }
}
