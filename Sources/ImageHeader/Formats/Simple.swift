// Formats whose size stands at a fixed place, a few lines each.

/// QOI 1.0.
enum QOIHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    ImageHeader(
      format: .qoi, pixelWidth: try file.big32(4), pixelHeight: try file.big32(8),
      hasAlpha: try file.byte(12) == 4)
  }
}

/// Photoshop documents, PSD and PSB (version 2).
enum PSDHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let version = try file.big16(4)
    guard version == 1 || version == 2 else { throw .malformed("its version is \(version)") }
    let channels = try file.big16(12)
    let colours = [1: 1, 3: 3, 4: 4, 9: 3][try file.big16(24)]
    return ImageHeader(
      format: .psd, pixelWidth: try file.big32(18), pixelHeight: try file.big32(14),
      hasAlpha: colours.map { channels > $0 } ?? false, bitsPerChannel: try file.big16(22))
  }
}

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

/// Icons and cursors of Windows: the largest picture in the file. A side of 0 means 256.
enum ICOHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let count = try file.little16(4)
    guard count > 0, count <= HeaderLimits.steps else {
      throw .malformed("it says that it holds \(count) pictures")
    }
    try file.require(6..<6 + count * 16)
    var best = (width: 0, height: 0)
    for index in 0..<count {
      let width = try file.byte(6 + index * 16)
      let height = try file.byte(7 + index * 16)
      let size = (width: width == 0 ? 256 : width, height: height == 0 ? 256 : height)
      if size.width * size.height > best.width * best.height { best = size }
    }
    return ImageHeader(
      format: .ico, pixelWidth: best.width, pixelHeight: best.height, hasAlpha: true)
  }
}

/// Truevision TGA, which has no signature at its start: what does not look like one is none.
enum TGAHeader {
  static func isLikely(_ file: borrowing HeaderView) throws(HeaderStop) -> Bool {
    let mapType = try file.byte(1)
    let type = try file.byte(2)
    let depth = try file.byte(16)
    let descriptor = try file.byte(17)
    guard mapType <= 1, [1, 2, 3, 9, 10, 11].contains(type), descriptor & 0xC0 == 0 else {
      return false
    }
    let isMapped = type & 7 == 1
    if isMapped {
      guard mapType == 1, depth == 8 || depth == 16,
        [15, 16, 24, 32].contains(try file.byte(7)), try file.little16(5) > 0
      else { return false }
    } else {
      guard [8, 15, 16, 24, 32].contains(depth), try file.little16(3) == 0 || mapType == 1 else {
        return false
      }
      if type & 7 == 3, depth != 8 && depth != 16 { return false }
    }
    let size = try (file.little16(12), file.little16(14))
    return size.0 > 0 && size.1 > 0
  }

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    ImageHeader(
      format: .tga, pixelWidth: try file.little16(12), pixelHeight: try file.little16(14),
      hasAlpha: try file.byte(17) & 15 > 0)
  }
}

/// Apple's icons: the largest picture in the file, by the size that its type stands for.
enum ICNSHeader {
  private static let sizes: [String: Int] = [
    "ICON": 32, "ICN#": 32, "icm#": 16, "icm4": 16, "icm8": 16, "ics#": 16, "ics4": 16, "ics8": 16,
    "is32": 16, "s8mk": 16, "icl4": 32, "icl8": 32, "il32": 32, "l8mk": 32, "ich#": 48, "ich4": 48,
    "ich8": 48, "ih32": 48, "h8mk": 48, "it32": 128, "t8mk": 128, "icp4": 16, "icp5": 32,
    "icp6": 64, "ic04": 16, "ic05": 32, "ic07": 128, "ic08": 256, "ic09": 512, "ic10": 1024,
    "ic11": 32, "ic12": 64, "ic13": 256, "ic14": 512,
  ]

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let end = try file.big32(4)
    var offset = 8
    var best = 0
    for _ in 0..<HeaderLimits.steps where offset + 8 <= end {
      try file.require(offset..<offset + 8)
      var name = ""
      for index in 0..<4 {
        name.unicodeScalars.append(Unicode.Scalar(UInt8(try file.byte(offset + index))))
      }
      let length = try file.big32(offset + 4)
      guard length >= 8 else { throw .malformed("one of its parts is \(length) bytes long") }
      best = max(best, sizes[name] ?? 0)
      offset += length
    }
    guard best > 0 else { throw .malformed("it holds no icon of a known type") }
    return ImageHeader(format: .icns, pixelWidth: best, pixelHeight: best, hasAlpha: true)
  }
}

/// PBM, PGM, PPM (plain and raw) and PAM, the formats of Netpbm.
enum PNMHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let kind = try file.byte(1) - Int(UInt8(ascii: "0"))
    if kind == 7 { return try readPAM(file) }
    var offset = 2
    let width = try number(file, &offset)
    let height = try number(file, &offset)
    var header = ImageHeader(format: .pnm, pixelWidth: width, pixelHeight: height)
    header.bitsPerChannel = kind == 1 || kind == 4 ? 1 : try number(file, &offset) > 255 ? 16 : 8
    return header
  }

  /// A number, after blanks and comments.
  private static func number(
    _ file: borrowing HeaderView, _ offset: inout Int
  ) throws(HeaderStop) -> Int {
    let start = offset
    var byte = try file.byte(offset)
    while byte == 0x23 || byte == 0x20 || (0x09...0x0D).contains(byte) {
      if byte == 0x23 {  // "#": a comment to the end of the line
        while byte != 0x0A && byte != 0x0D {
          offset += 1
          guard offset - start < HeaderLimits.steps else {
            throw .malformed("its header is endless")
          }
          byte = try file.byte(offset)
        }
      }
      offset += 1
      guard offset - start < HeaderLimits.steps else { throw .malformed("its header is endless") }
      byte = try file.byte(offset)
    }
    var value = 0
    var digits = 0
    while (0x30...0x39).contains(byte) {
      value = value * 10 + byte - 0x30
      digits += 1
      guard digits <= 10 else { throw .malformed("a number in its header is too large") }
      offset += 1
      byte = try file.byte(offset)
    }
    guard digits > 0 else { throw .malformed("a number is missing in its header") }
    return value
  }

  private static func readPAM(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    var header = ImageHeader(format: .pnm, pixelWidth: 0, pixelHeight: 0)
    var offset = 3
    for _ in 0..<64 {
      var line = ""
      var byte = try file.byte(offset)
      while byte != 0x0A {
        line.unicodeScalars.append(Unicode.Scalar(UInt8(byte)))
        guard line.utf8.count < 256 else { throw .malformed("its header is endless") }
        offset += 1
        byte = try file.byte(offset)
      }
      offset += 1
      let words = line.split(separator: " ")
      switch words.first {
      case "WIDTH": header.pixelWidth = words.last.flatMap { Int($0) } ?? 0
      case "HEIGHT": header.pixelHeight = words.last.flatMap { Int($0) } ?? 0
      case "DEPTH": header.hasAlpha = ["2", "4"].contains(words.last)
      case "MAXVAL": header.bitsPerChannel = (words.last.flatMap { Int($0) } ?? 0) > 255 ? 16 : 8
      case "ENDHDR": return header
      default: break
      }
    }
    throw .malformed("its header is endless")
  }
}

/// OpenEXR: the data window among the attributes of the header.
enum EXRHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    var header = ImageHeader(format: .exr, pixelWidth: 0, pixelHeight: 0, bitsPerChannel: 16)
    var offset = 8
    for _ in 0..<256 {
      let name = try text(file, &offset)
      if name.isEmpty { break }
      let type = try text(file, &offset)
      let size = try file.little32(offset)
      offset += 4
      // libvips shows the data window, which is what there are pixels for.
      if name == "dataWindow", type == "box2i" {
        let left = try file.littleSigned32(offset)
        let top = try file.littleSigned32(offset + 4)
        header.pixelWidth = try file.littleSigned32(offset + 8) - left + 1
        header.pixelHeight = try file.littleSigned32(offset + 12) - top + 1
        return header
      }
      guard size >= 0 else { throw .malformed("an attribute is \(size) bytes long") }
      offset += size
    }
    throw .malformed("it has no data window")
  }

  private static func text(
    _ file: borrowing HeaderView, _ offset: inout Int
  ) throws(HeaderStop) -> String {
    var text = ""
    while true {
      let byte = try file.byte(offset)
      offset += 1
      if byte == 0 { return text }
      text.unicodeScalars.append(Unicode.Scalar(UInt8(byte)))
      guard text.utf8.count < 512 else { throw .malformed("a name in its header is endless") }
    }
  }
}
