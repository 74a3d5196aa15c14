internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraSystem
internal import TesseraText

enum GalleryCommand: Command {
  static let name = "gallery"
  static let summary = "one HTML page to look at"

  private static let limit = Option.number(
    "--limit", "show the first N images at most; default 5000", in: 1...Int.max)

  static let syntax = Syntax(
    [OutputOptions.operand],
    text: """
      Writes gallery.html beside an output's catalog: its images, laid out from the catalog alone,
      with their facts, and filters. Open it as a file, or from a web server.
      """,
    options: [limit],
    example: Example(
      "tessera gallery build/feed", "Writes build/feed/gallery.html."),
    statuses: [
      ExitMeaning(.done, "written"),
      ExitMeaning(.failed, "there is no catalog, or the page can't be written"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let output = try OutputOptions.output(arguments, of: Self.self)
    let gallery = Gallery(
      output.root, store: output.store, limit: try arguments.value(limit) ?? 5_000)
    let report = try await gallery.write()
    if arguments.has(CommonFlag.json) {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      let part = report.shown < report.images ? ", the first \(report.shown) shown" : ""
      Console.line("\(report.path): \(Amount.count(report.images, "image"))\(part)")
    }
    return .done
  }
}

/// One HTML page to look at an output with. It is laid out from the catalog alone, and contains all
/// that it needs except the images' files, which are beside it.
struct Gallery {
  /// The page's name in an output.
  static let name = "gallery.html"

  private let output: String
  private let store: StoreSettings
  private let limit: Int

  /// - Parameter limit: the first images that are on the page, at most this many.
  init(_ output: String, store: StoreSettings = StoreSettings(), limit: Int) {
    (self.output, self.store, self.limit) = (output, store, limit)
  }

  /// Writes the page beside the catalog.
  ///
  /// - Throws: ``TesseraError`` if the catalog can't be read, or the page can't be written; or
  ///   `CancellationError`.
  func write() async throws -> GalleryReport {
    guard OpenOutput.isInStore(output) || FileSystem.isDirectory(output) else {
      throw TesseraError(noOutput: output, exists: FileSystem.exists(output))
    }
    let local = try await LocalOutput(output, store: store)
    let catalog = try CatalogFile(of: local)
    let draft = try OpenDraft(FileSystem.join(local.path, Self.name))
    let report = try write(
      GalleryPage(), of: catalog, to: draft.path,
      GalleryReport(path: FileSystem.join(output, Self.name)))
    try Task.checkCancellation()
    let published = try OpenOutput(output, store, creates: false).output
    let isStored = OpenOutput.isInStore(output)
    try await catalog.publish {
      if isStored {
        try await published.write(Self.name, FileSystem.read(draft.path, limit: .max))
      } else {
        try draft.publish()
      }
    } orWithdraw: {
      try await published.delete(Self.name)
    }
    return report
  }

  private func write(
    _ page: GalleryPage, of catalog: CatalogFile, to draft: String,
    _ report: consuming GalleryReport
  ) throws -> GalleryReport {
    let file = try File(draft, .create)
    var report = report
    func write(_ bytes: [UInt8]) throws {
      try file.write(bytes)
    }
    try write(page.beginning)
    try writeCatalog(catalog, &report) { json in
      try write(GalleryPage.escaped(json))
    }
    try write(page.end)
    return report
  }

  /// Writes the page's data: the first images, the catalog's head, and what all images add up to.
  private func writeCatalog(
    _ catalog: CatalogFile, _ report: inout GalleryReport,
    _ write: ([UInt8]) throws -> Void
  ) throws {
    // The page gets images as they were written. Each is also decoded as apps do, which checks it.
    var lines = try catalog.lines()
    var totals = GalleryTotals()
    try write(Array("{\"images\":[".utf8))
    var images = try catalog.images()
    while let image = try images.next() {
      totals.add(image)
      guard report.shown < limit else { continue }
      guard let written = try lines.next(), Identifier(written.id) == Identifier(image.id) else {
        throw TesseraError(
          .output, "the catalog of \"\(output)\" changed while it was read", remedy: "try again",
          isRetryable: true)
      }
      var writer = JSONWriter()
      writer.value(written.json)
      try write((report.shown > 0 ? [UInt8(ascii: ",")] : []) + writer.take())
      report.shown += 1
    }
    report.images = totals.images
    var rest = JSONWriter()
    rest.object { object in
      object.name("head")
      object.value(json: String(decoding: lines.headText, as: UTF8.self))
      object.name("totals")
      object.object { totals.write(to: &$0) }
    }
    // After the images, because the totals are known only now.
    try write(Array("],".utf8) + rest.take().dropFirst())
  }
}

/// The page that `gallery.html` in the sources is, in two parts: the data goes between them.
struct GalleryPage {
  let beginning: [UInt8]
  let end: [UInt8]

  /// - Throws: ``TesseraError`` if the page has no place for the data, which is a mistake in it.
  init() throws {
    let page = PackageResources.gallery_html
    let mark = Array(">CATALOG<".utf8)
    guard let start = page.indices.first(where: { page[$0...].starts(with: mark) }) else {
      throw TesseraError(.output, "the gallery's page has no place for a catalog")
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

/// What `gallery` wrote.
struct GalleryReport: Sendable, JSONDocument {
  let schema = "tessera-gallery/1"
  var path: String
  /// Images in the catalog.
  var images = 0
  /// Images on the page.
  var shown = 0

  private enum CodingKeys: String, CodingKey {
    case schema, path
    // Programs read this name, so it stays although the sources say "images".
    case images = "pictures"
    case shown
  }

  init(path: String) { self.path = path }
}

/// What all images of a catalog add up to, for the page's heading.
struct GalleryTotals {
  private(set) var images = 0
  private var statuses: [CatalogImage.Status: Int] = [:]
  private var files = 0
  private var bytes = 0

  mutating func add(_ image: CatalogImage) {
    images += 1
    statuses[image.status, default: 0] += 1
    for file in image.variants.flatMap(\.allFiles) {
      files += 1
      // A damaged catalog may state any number.
      let (sum, isTooLarge) = bytes.addingReportingOverflow(max(0, file.bytes ?? 0))
      bytes = isTooLarge ? .max : sum
    }
  }

  func write(to object: inout JSONWriter) {
    object.member("images", images)
    object.name("statuses")
    object.object { list in
      for status in CatalogImage.Status.allCases {
        list.member(status.rawValue, statuses[status] ?? 0)
      }
    }
    object.member("files", files)
    object.member("bytes", bytes)
  }
}
