internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
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

/// How an export is made.
struct ExportOptions: Sendable {
  /// The slots to export, each once; none means all.
  var slots: [String] = []
  /// How many images of a page are loaded at once and first.
  var eager = 0
  /// Whether images of a page grow with it, up to the width of their slot.
  var isFluid = false
  /// Whether visitors who ask for less data get the smallest file, on every screen.
  var reducesData = false
  /// The language of the texts in a page (RFC 5646).
  var language = "en"
  /// The nonce of a style sheet inside the page; nil for a file beside it.
  var nonce: String?
  /// Whether the elements are written as JSON, by image and slot.
  var asFragments = false
  /// Whether what an earlier export wrote is replaced.
  var replaces = false

  init() {}
}

/// What `export` wrote.
struct ExportReport: Sendable, Equatable, JSONDocument {
  let schema = "tessera-export/1"
  /// Images that were exported.
  var images = 0
  /// Whether the target had this catalog already, and nothing was written.
  @Omitting(false) var isCurrent = false
  /// Images without a file.
  var empty = 0
  /// Files that were written for assets.
  var files = 0
  /// Whether URLs are relative to the catalog's folder, because the pipeline has no `base-url`.
  var isRelative = false
  /// Whether the target is in the catalog's folder, so that such URLs lead to the files.
  var isBeside = false
  /// The names of files that were written beside the target.
  var companions: [String] = []
  /// Images of which the manifest does not say what they show.
  var withoutAlt = 0

  private enum CodingKeys: String, CodingKey {
    case schema, images, empty, files
    case isCurrent = "current"
    case isRelative = "relative"
    case withoutAlt
  }
}

/// The files of an output, for exports: on a disk, or in an object store.
struct ExportedFiles: Sendable {
  private let output: any Output
  /// For the names of files; nil for a store.
  private let folder: Directory?

  /// - Parameter path: the folder that the paths in the catalog are relative to, or a place in a store.
  init(_ path: String, store: StoreSettings = StoreSettings()) throws {
    output = try OpenOutput(path, store, creates: false).output
    folder =
      OpenOutput.isInStore(path) ? nil : try Directory(path)
  }

  /// As the user names the output.
  var location: String { output.location }

  /// The file as other programs name it.
  func name(of path: String) -> String {
    folder?.path(of: path) ?? FileSystem.join(location, path)
  }

  func bytes(of path: String) async throws -> [UInt8] {
    guard let size = try await output.size(of: path) else {
      throw TesseraError(
        .output, "\"\(name(of: path))\" is missing", remedy: "tessera verify finds what else is")
    }
    var bytes: [UInt8] = []
    while bytes.count < size {
      let part = try await output.read(path, size - bytes.count, at: bytes.count)
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }
}
