/// PBM, PGM, PPM (plain and raw) and PAM, the formats of Netpbm; and PFM, which has the same layout
/// with floating point samples.
enum PNMHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let kind = try file.byte(1) - Int(UInt8(ascii: "0"))
    if kind == 7 { return try readPAM(file) }
    let isFloat = kind > 7  // "F" or "f"
    var offset = 2
    let width = try number(file, &offset)
    let height = try number(file, &offset)
    var header = ImageHeader(format: .pnm, pixelWidth: width, pixelHeight: height)
    if isFloat {
      header.bitsPerChannel = 32
    } else {
      // P1 and P4 are bitmaps; the other formats state their largest sample value.
      header.bitsPerChannel = kind == 1 || kind == 4 ? 1 : try number(file, &offset) > 255 ? 16 : 8
    }
    return header
  }

  /// A number, after any blanks and comments.
  private static func number(
    _ file: borrowing HeaderView, _ offset: inout Int
  ) throws(HeaderStop) -> Int {
    let start = offset
    var byte = try file.byte(offset)
    var isComment = false
    while isComment || byte == 0x23 || ASCII.isBlank(byte) {
      // "#": a comment to the end of the line
      isComment = byte != 0x0A && byte != 0x0D && (isComment || byte == 0x23)
      offset += 1
      guard offset - start < HeaderLimits.steps else { throw .malformed("its header is too long") }
      byte = try file.byte(offset)
    }
    var value = 0
    var digits = 0
    while (0x30...0x39).contains(byte) {
      value = value * 10 + byte - 0x30
      digits += 1
      // Ten digits hold 2^31 - 1, the longest side that is accepted.
      guard digits <= 10 else { throw .malformed("a number in its header is too large") }
      offset += 1
      byte = try file.byte(offset)
    }
    guard digits > 0 else { throw .malformed("its header lacks a number") }
    return value
  }

  /// PAM: lines with a keyword and a value each, up to ENDHDR.
  private static func readPAM(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    var header = ImageHeader(format: .pnm, pixelWidth: 0, pixelHeight: 0)
    var offset = 3
    // Five keywords are defined. The rest is room for comments.
    for _ in 0..<64 {
      var line = ""
      var byte = try file.byte(offset)
      while byte != 0x0A {
        line.unicodeScalars.append(Unicode.Scalar(UInt8(byte)))
        guard line.utf8.count < 256 else { throw .malformed("its header is too long") }
        offset += 1
        byte = try file.byte(offset)
      }
      offset += 1
      let words = line.split { " \t\r".contains($0) }
      switch words.first {
      case "WIDTH": header.pixelWidth = words.last.flatMap { Int($0) } ?? 0
      case "HEIGHT": header.pixelHeight = words.last.flatMap { Int($0) } ?? 0
      // Depth 2 is grey with alpha, 4 is RGB with alpha (Netpbm, pam(5)).
      case "DEPTH": header.hasAlpha = ["2", "4"].contains(words.last)
      case "MAXVAL": header.bitsPerChannel = (words.last.flatMap { Int($0) } ?? 0) > 255 ? 16 : 8
      case "ENDHDR": return header
      default: break
      }
    }
    throw .malformed("its header is too long")
  }
}
