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
    "--limit", "show the first N images, and N that have changed, at most; default 5000",
    in: 1...Int.max)

  static let syntax = Syntax(
    [OutputOptions.operand],
    text: """
      Writes gallery.html beside an output's catalog: its images, laid out from the catalog alone,
      with their facts, and filters. What is new or changed since the catalog before is marked, and
      gallery.html#changes shows nothing else. Open it as a file, or from a web server.
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
      Console.line(line(of: report))
    }
    return .done
  }

  private static func line(of report: GalleryReport) -> String {
    var line = "\(report.path): \(Amount.count(report.images, "image"))"
    if report.shown < report.images { line += ", \(report.shown) shown" }
    if let changes = report.changes {
      line +=
        "; since \(changes.since): \(changes.added) new, \(changes.changed) changed, \(changes.removed) gone"
    }
    return line
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
    let changes = try await Self.changes(in: local)
    let draft = try OpenDraft(FileSystem.join(local.path, Self.name))
    let report = try write(
      GalleryPage(), of: catalog, changes, to: draft.path,
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

  /// Nil if no catalog before is kept. One that can't be read is worth a warning, and the page can do without it.
  private static func changes(in local: LocalOutput) async throws -> GalleryChanges? {
    do {
      return try await local.catalogBefore().map { try GalleryChanges(since: $0) }
    } catch  where !(error is CancellationError) {
      Console.warn("what has changed is not marked: \(error)")
      return nil
    }
  }

  private func write(
    _ page: GalleryPage, of catalog: CatalogFile, _ changes: GalleryChanges?, to draft: String,
    _ report: GalleryReport
  ) throws -> GalleryReport {
    let file = try File(draft, .create)
    var data = GalleryData(report, limit: limit)
    try file.write(page.beginning)
    try data.write(catalog, changes) { try file.write(GalleryPage.escaped($0)) }
    try file.write(page.end)
    return data.report
  }
}

/// The data of the page: the first images, those after them that have changed, the catalog's head, and what all images
/// add up to.
private struct GalleryData {
  private(set) var report: GalleryReport
  private let limit: Int
  private var totals = GalleryTotals()
  /// Images that are on the page only because they have changed.
  private var others = 0
  /// The changed ones by their places on the page, with the members that differ: none for a new one.
  private var marks: [(place: Int, members: [String])] = []

  init(_ report: GalleryReport, limit: Int) { (self.report, self.limit) = (report, limit) }

  mutating func write(
    _ catalog: CatalogFile, _ changes: GalleryChanges?, _ write: ([UInt8]) throws -> Void
  ) throws {
    // The page gets images as they were written. Each is also decoded as apps do, which checks it.
    var lines = try catalog.lines()
    try write(Array("{\"images\":[".utf8))
    var images = try catalog.images()
    while let image = try images.next() {
      totals.add(image)
      guard report.shown - others < limit || changes != nil else { continue }
      guard let written = try lines.next(), Identifier(written.id) == Identifier(image.id) else {
        throw TesseraError(
          .output, "the catalog of \"\(catalog.path)\" changed while it was read",
          remedy: "try again", isRetryable: true)
      }
      let members = try changes?.compare(written)
      guard isShown(members != nil) else { continue }
      if let members { marks.append((report.shown, members)) }
      var writer = JSONWriter()
      writer.value(written.json)
      try write((report.shown > 0 ? [UInt8(ascii: ",")] : []) + writer.take())
      report.shown += 1
    }
    report.images = totals.images
    report.changes = try changes?.finish()
    // After the images, because the totals are known only now.
    try write(Array("],".utf8) + rest(lines.headText).dropFirst())
  }

  private mutating func isShown(_ hasChanged: Bool) -> Bool {
    if report.shown - others < limit { return true }
    guard hasChanged, others < limit else { return false }
    others += 1
    return true
  }

  private func rest(_ head: [UInt8]) -> [UInt8] {
    var rest = JSONWriter()
    rest.object { object in
      object.name("head")
      object.value(json: String(decoding: head, as: UTF8.self))
      object.name("totals")
      object.object { totals.write(to: &$0) }
      guard let changes = report.changes else { return }
      object.name("changes")
      object.value(json: String(decoding: JSONCoding.text(changes).dropLast(), as: UTF8.self))
      object.name("marks")
      object.object { list in
        for mark in marks {
          list.name("\(mark.place)")
          list.array { members in for name in mark.members { members.value(name) } }
        }
      }
    }
    return rest.take()
  }
}

/// What is new in a catalog since the one before it.
final class GalleryChanges {
  struct Counts: Sendable, Encodable {
    /// When the catalog before was replaced, in UTC.
    let since: String
    var added = 0
    var changed = 0
    var removed = 0
  }

  private let before: OldCatalog
  private var counts: Counts

  init(since before: LocalOutput.CatalogBefore) throws {
    self.before = try OldCatalog.open(before.path)
    counts = Counts(since: Host.timestamp(Double(before.replaced)))
  }

  /// The names of an image's members that differ from before: none if it is new, nil if all are the same.
  func compare(_ image: CatalogLine) throws -> [String]? {
    switch try before.compare(image, id: image.id ?? "", next: nil) {
    case .added:
      counts.added += 1
      return []
    case .changed(let members):
      counts.changed += 1
      return members
    case .same, .moved, nil: return nil
    }
  }

  /// Counts also the images that the catalog no longer has.
  func finish() throws -> Counts {
    try before.forEachMissing { _ in counts.removed += 1 }
    return counts
  }
}

/// The page that `gallery.html` in the sources is, in two parts: the data goes between them.
struct GalleryPage {
  let beginning: [UInt8]
  let end: [UInt8]

  /// - Throws: ``TesseraError`` if the page has no place for the data, which is a mistake in it.
  init() throws {
    let page = EmbeddedPages.gallery
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
  /// What is new since the catalog before; nil if that is not kept.
  var changes: GalleryChanges.Counts?

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
