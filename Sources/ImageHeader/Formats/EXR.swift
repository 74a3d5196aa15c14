/// OpenEXR (OpenEXR File Layout): the data window, which is one of the attributes of the header.
enum EXRHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    var header = ImageHeader(format: .exr, pixelWidth: 0, pixelHeight: 0, bitsPerChannel: 16)
    // After the magic number and the version, four bytes each.
    var offset = 8
    // Eight attributes are required; programs add some of their own.
    for _ in 0..<256 {
      let name = try text(file, &offset)
      if name.isEmpty { break }
      let type = try text(file, &offset)
      let size = try file.little32(offset)
      offset += 4
      // libvips displays the data window: the part of the display window that has pixels.
      if name == "dataWindow", type == "box2i" {
        let left = try file.littleSigned32(offset)
        let top = try file.littleSigned32(offset + 4)
        header.pixelWidth = try file.littleSigned32(offset + 8) - left + 1
        header.pixelHeight = try file.littleSigned32(offset + 12) - top + 1
        return header
      }
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
      // A name has at most 255 bytes; beyond U+007F one becomes two in UTF-8.
      guard text.utf8.count < 512 else { throw .malformed("a name in its header is too long") }
    }
  }
}
