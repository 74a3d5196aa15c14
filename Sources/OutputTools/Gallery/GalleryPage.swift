/// The page that `gallery.html` in the sources is, in two parts: the data goes between them.
struct GalleryPage {
  let beginning: [UInt8]
  let end: [UInt8]

  /// - Throws: ``OutputToolError`` if the page has no place for the data, which is a mistake in it.
  init() throws(OutputToolError) {
    let page = PackageResources.gallery_html
    let mark = Array(">CATALOG<".utf8)
    guard let start = page.indices.first(where: { page[$0...].starts(with: mark) }) else {
      throw OutputToolError("the gallery's page has no place for a catalog")
    }
    beginning = Array(page[...start])
    end = Array(page[(start + mark.count - 1)...])
  }

  /// JSON as the content of a `script` element: without "<", nothing in it can end the element or
  /// begin a comment (HTML, section 4.12.1.3).
  static func escaped(_ json: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.count)
    for byte in json {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    return bytes
  }
}
