internal import TesseraCatalog
internal import TesseraSystem

/// A form of export, which is given the images in the catalog's order.
protocol Exporting: AnyObject {
  /// The scales that the form has a place for; nil if it supports all.
  var scales: [Int]? { get }

  /// Adds an image that has at least one file. Returns how many files were copied.
  func add(_ image: CatalogImage) throws -> Int
  func finish() throws
}

extension Exporting {
  var scales: [Int]? { nil }
  func finish() throws {}
}

/// What every form of export needs.
struct ExportContext: Sendable {
  /// The catalog without its images.
  var head: Catalog
  var slots: [String]
  /// The folder that holds the catalog.
  var output: Directory
  /// Where the export is written.
  var target: String

  /// The URL of a file for clients; relative to the catalog if the pipeline has no `base-url`.
  func url(_ path: String) -> String { head.url(of: path) }

  /// The file of an image for a slot at each scale.
  func files(of image: CatalogImage, in slot: String) -> [(variant: CatalogVariant, scale: Int)] {
    var files: [(variant: CatalogVariant, scale: Int)] = []
    for scale in head.scales {
      guard let variant = image.variant(for: slot, scale: Double(scale), in: head) else { continue }
      files.append((variant, scale))
    }
    return files
  }

  /// Copies a file of the catalog.
  func copy(_ path: String, to place: String) throws(SystemError) {
    let source = try output.open(path, .read)
    let copy = try File(place, .create)
    var offset = 0
    while true {
      let bytes = try source.read(1 << 18, at: offset)
      if bytes.isEmpty { return }
      try copy.write(bytes)
      offset += bytes.count
    }
  }
}

extension String {
  /// As a URL in `srcset`, whose syntax uses blanks and commas (HTML, section 4.8.4.2.1).
  var sourceSetURL: String {
    var text = ""
    for character in unicodeScalars {
      switch character {
      case " ": text += "%20"
      case ",": text += "%2C"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}
