package import TesseraCatalog
internal import TesseraJSON

/// What the verdict on a line of the catalog needs of it.
///
/// It is read without a tree of the whole line, which costs four times as much: most items of most runs
/// come here.
package struct ReusedLine {
  /// All files of its variants.
  package var files: [(path: String, bytes: Int)] = []
  /// Slots at scales that its variants serve.
  var places = 0

  /// Nil if the line is not one of an image with files.
  ///
  /// - Parameter formats: of the catalog.
  package init?(_ line: some Sequence<UInt8>, _ formats: [CatalogFormat]) {
    var (source, variants) = (nil as String?, [Variant]())
    do throws(JSONScanner.Failure) {
      var scanner = JSONScanner(Array(line))
      var places = 0
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        switch name {
        case "source": source = try scanner.string()
        case "variants":
          try scanner.array { scanner throws(JSONScanner.Failure) in
            variants.append(try Variant(&scanner))
          }
        case "slots": places = try Self.places(&scanner)
        default: try scanner.skip()
        }
      }
      self.places = places
    } catch {
      return nil
    }
    guard let source, variants.allSatisfy({ $0.bytes.count <= formats.count }) else { return nil }
    for variant in variants {
      for (format, bytes) in zip(formats, variant.bytes) {
        guard let bytes else { continue }
        guard let recipe = format.recipe, let ending = format.fileExtension else { return nil }
        let path = FileName.path(
          source: source, width: variant.width, height: variant.height, crop: variant.crop,
          recipe: recipe, fileExtension: ending)
        files.append((path, bytes))
      }
    }
    if files.isEmpty { return nil }
  }

  private struct Variant {
    var width = 0
    var height = 0
    var crop: String?
    var bytes: [Int?] = []

    init(_ scanner: inout JSONScanner) throws(JSONScanner.Failure) {
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        switch name {
        case "width": width = try scanner.int()
        case "height": height = try scanner.int()
        case "crop": crop = try scanner.string()
        case "bytes":
          try scanner.array { scanner throws(JSONScanner.Failure) in
            bytes.append(scanner.null() ? nil : try scanner.int())
          }
        default: try scanner.skip()
        }
      }
    }
  }

  private static func places(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> Int {
    var count = 0
    try scanner.members { scanner, _, _ throws(JSONScanner.Failure) in
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        guard name == "variants" else { return try scanner.skip() }
        try scanner.array { scanner throws(JSONScanner.Failure) in
          count += 1
          try scanner.skip()
        }
      }
    }
    return count
  }
}
