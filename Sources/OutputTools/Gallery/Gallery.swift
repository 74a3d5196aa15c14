internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraSystem
internal import TesseraText

/// One HTML page to look at an output with. It is laid out from the catalog alone, and contains all
/// that it needs except the images' files, which are beside it.
package struct Gallery {
  /// The page's name in an output.
  static let name = "gallery.html"

  private let output: String
  private let limit: Int

  /// - Parameter limit: the first images that are on the page, at most this many.
  package init(_ output: String, limit: Int) {
    self.output = output
    self.limit = limit
  }

  /// Writes the page beside the catalog.
  ///
  /// - Throws: ``OutputToolError`` if the catalog can't be read, or the page can't be written; or
  ///   `CancellationError`.
  package func write() async throws -> GalleryReport {
    guard OpenOutput.isInStore(output) || FileSystem.isDirectory(output) else {
      throw OutputToolError(noOutput: output, exists: FileSystem.exists(output))
    }
    return try await OutputToolError.wrapAsyncWork {
      let local = try await LocalOutput(output)
      let catalog = try CatalogFile(of: local)
      let draft = try OpenDraft(FileSystem.join(local.path, Self.name))
      let report = try write(
        GalleryPage(), of: catalog, to: draft.path,
        GalleryReport(path: FileSystem.join(output, Self.name)))
      try Task.checkCancellation()
      let published = try OpenOutput(output, creates: false).output
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
  }

  private func write(
    _ page: GalleryPage, of catalog: CatalogFile, to draft: String,
    _ report: consuming GalleryReport
  ) throws -> GalleryReport {
    let file = try OutputToolError.wrap { try File(draft, .create) }
    var report = report
    func write(_ bytes: [UInt8]) throws(OutputToolError) {
      try OutputToolError.wrap { try file.write(bytes) }
    }
    try write(page.beginning)
    try writeCatalog(catalog, &report) { json throws(OutputToolError) in
      try write(GalleryPage.escaped(json))
    }
    try write(page.end)
    return report
  }

  /// Writes the page's data: the first images, the catalog's head, and what all images add up to.
  private func writeCatalog(
    _ catalog: CatalogFile, _ report: inout GalleryReport,
    _ write: ([UInt8]) throws(OutputToolError) -> Void
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
        throw OutputToolError("the catalog of \"\(output)\" changed while it was read; try again")
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
