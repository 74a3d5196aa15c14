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
