internal import TesseraCatalog
internal import TesseraSystem
internal import TesseraText

/// A form of export, which is given the images in the catalog's order.
protocol Exporting: AnyObject {
  /// Adds an image; for all forms but a database and rows, one that has at least one file. Returns how many files were written.
  ///
  /// - Parameter extra: the image's own data as the catalog has it: a ``CatalogValue`` does not hold every number.
  func add(_ image: CatalogImage, extra: String?) async throws -> Int
  func finish() throws
  /// Ends what the export has started. Called on every way out.
  func close()
}

extension Exporting {
  func finish() throws {}
  func close() {}
}

/// What every form of export needs.
struct ExportContext: Sendable {
  /// Where files are.
  var place: CatalogContext
  var slots: [String]
  /// Whether these slots were requested, and not all.
  var hasChosenSlots: Bool
  var options: ExportOptions
  var files: ExportedFiles
  /// The path of `tessera-worker`.
  var worker: String
  /// Where the export is written.
  var target: String
  /// Where the files beside it are written, and their names.
  var companions: [String]
  var companionNames: [String]

  /// The URL of a file for clients; relative to the catalog if the pipeline has no `base-url`.
  func url(_ file: CatalogVariant.File) -> String { place.url(of: file.reference) }

  /// The catalog without its images.
  var head: Catalog { place.head }

  /// The file of an image for a slot at each scale.
  func files(of image: CatalogImage, in slot: String) -> [(variant: CatalogVariant, scale: Int)] {
    var files: [(variant: CatalogVariant, scale: Int)] = []
    for scale in head.scales {
      guard let variant = image.variant(for: slot, scale: Double(scale), in: head) else { continue }
      files.append((variant, scale))
    }
    return files
  }

  /// The bytes of a file of the catalog.
  func read(_ file: CatalogVariant.File) async throws -> [UInt8] {
    try await files.bytes(of: path(of: file))
  }

  /// - Throws: ``TesseraError`` if an image service makes the file.
  func path(of file: CatalogVariant.File) throws -> String {
    guard let path = file.path else {
      throw TesseraError(
        .output,
        "an image service makes the files of this output (\"delivery\"), and this export needs files",
        remedy: "run with \"delivery.files: true\" first")
    }
    return path
  }
}

extension String {
  /// As a URL in `srcset` (HTML, section 4.8.4.2.1): it has no blanks, and a comma neither begins nor ends it.
  /// Other commas stay, because a signature may cover them.
  var sourceSetURL: String {
    let whole = replacing(" ", with: "%20")
    let body = whole.drop { $0 == "," }
    let end = body.reversed().prefix { $0 == "," }.count
    let comma = "%2C"
    return String(repeating: comma, count: whole.count - body.count) + body.dropLast(end)
      + String(repeating: comma, count: end)
  }
}
