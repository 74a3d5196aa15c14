internal import TesseraImageHeader
internal import TesseraOutput
internal import TesseraPlan

/// Compares the header of a file with what a catalog says of it.
enum HeaderComparison {
  /// What differs: completes "the file …". Nil if nothing does.
  static func problem(_ reading: HeaderReading, width: Int, height: Int, type: String) -> String? {
    guard case .header(let header) = reading else { return "is not a recognized image" }
    guard header.width == width, header.height == height else {
      return "has \(header.width) x \(header.height) pixels instead of \(width) x \(height)"
    }
    guard OutputFormat(rawValue: header.format.rawValue)?.mediaType == type else {
      return "is \(header.format.withArticle) image instead of \(type)"
    }
    return nil
  }

  /// Whether bytes are the whole image that a catalog names.
  static func isWhole(_ bytes: [UInt8], _ file: PublishedFile) -> Bool {
    let reading = ImageHeader.read(bytes.span, isWhole: true)
    guard case .header(let header) = reading, FileEnd.isThere(bytes.span, header.format) else {
      return false
    }
    return problem(reading, width: file.width, height: file.height, type: file.type) == nil
  }
}
