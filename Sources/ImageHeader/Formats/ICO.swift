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
