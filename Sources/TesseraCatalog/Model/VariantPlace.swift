internal import TesseraJSON
internal import TesseraText

extension CatalogImage {
  /// A catalog may come from anywhere, and apps join its paths to URLs and folders: a path is one that a run makes,
  /// which leads nowhere else, and a URL is one of the web.
  func checkPlaces(at offset: Int) throws(JSONScanner.Failure) {
    for (index, variant) in variants.enumerated() {
      do throws(JSONScanner.Failure) {
        try Self.check(variant.path, variant.url, variant.bytes, at: offset)
        for (place, other) in (variant.also ?? []).enumerated() {
          do throws(JSONScanner.Failure) {
            try Self.check(other.path, other.url, other.bytes, at: offset)
          } catch {
            throw error.within("[\(place)]").within("also")
          }
        }
      } catch {
        throw error.within("[\(index)]").within("variants")
      }
    }
  }

  private static func check(
    _ path: String?, _ url: String?, _ bytes: Int?, at offset: Int
  ) throws(JSONScanner.Failure) {
    func failure(_ message: String) -> JSONScanner.Failure {
      JSONScanner.Failure(offset: offset, message: message)
    }
    if let path, !CatalogVariant.isPath(path) {
      throw failure(
        "expected a path such as variants/3f/3f9c…-192x256.webp, found \"\(path.prefix(80))\""
      ).within("path")
    }
    if let url, !CatalogVariant.isURL(url) {
      throw failure(
        "expected a URL that begins with http:// or https://, found \"\(url.prefix(80))\""
      ).within("url")
    }
    if path == nil, url == nil { throw failure("\"path\" is missing") }
    if path != nil, bytes == nil { throw failure("\"bytes\" is missing") }
  }
}

extension CatalogVariant {
  /// Whether an app may request it as it is: an absolute http(s) URL without blanks, control characters and what
  /// would end it in a page.
  static func isURL(_ text: String) -> Bool {
    let isWeb = ["http://", "https://"].contains {
      text.begins(with: $0) && text.utf8.count > $0.utf8.count
    }
    return isWeb
      && text.unicodeScalars.allSatisfy {
        $0.value > 0x20 && !(0x7F...0x9F).contains($0.value)
          && !"\"<>\\".unicodeScalars.contains($0)
      }
  }

  /// Whether a path has the form `variants/3f/3f9c…-192x256.webp`: the folder is the beginning of the name, which
  /// has 32 hexadecimal digits. One pass, because a catalog has many.
  static func isPath(_ path: String) -> Bool {
    var bytes = path.utf8.makeIterator()
    for expected in "variants/".utf8 { guard bytes.next() == expected else { return false } }
    guard let one = bytes.next(), let other = bytes.next(), bytes.next() == UInt8(ascii: "/"),
      isHexadecimal(one), isHexadecimal(other), bytes.next() == one, bytes.next() == other
    else { return false }
    for _ in 2..<32 { guard let byte = bytes.next(), isHexadecimal(byte) else { return false } }
    guard bytes.next() == UInt8(ascii: "-") else { return false }
    // Width, height and extension, and how many characters of the current one were found.
    var (part, length) = (0, 0)
    while let byte = bytes.next() {
      let ends = part == 0 ? UInt8(ascii: "x") : UInt8(ascii: ".")
      if part < 2, byte == ends, length > 0 {
        (part, length) = (part + 1, 0)
      } else {
        let isRight = isDigit(byte) || part == 2 && (0x61...0x7A).contains(byte)
        length += 1
        guard isRight, length <= 9 else { return false }
      }
    }
    return part == 2 && length > 0
  }

  /// Whether paths may be joined to it: a URL of the web, or one without a scheme, which is relative to the catalog's.
  static func isBase(_ text: String) -> Bool {
    let hasScheme = text.prefix { $0 != "/" }.contains(":")
    return hasScheme ? isURL(text) : text.isEmpty || isURL("http://\(text)")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte)
  }
}
