internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// One page to look at an output with: it lays its pictures out from the catalog alone, and holds all that it needs but
/// the pictures' files, which lie beside it.
package struct Gallery {
  package struct Report: Sendable {
    package var path: String
    /// Pictures in the catalog, and on the page.
    package var pictures = 0
    package var shown = 0
  }

  private let output: String
  private let limit: Int

  /// - Parameter limit: so many pictures at most are on the page, the first ones.
  package init(_ output: String, limit: Int) {
    self.output = output
    self.limit = limit
  }

  /// Where the page is written, in an output.
  private static let name = "gallery.html"

  /// Writes the page beside the catalog.
  package func write() throws -> Report {
    guard FileSystem.isDirectory(output) else {
      throw OutputToolError.local("\"\(output)\" is no folder; it must be the output of a run")
    }
    let path = FileSystem.join(output, Self.name)
    let parts = try Self.template()
    // Read as apps read it, for what is told of it, and as it was written, for the page.
    let typed = try CatalogFile(output)
    var catalog = try WrittenCatalog.open(output)
    var report = Report(path: path)
    let draft = "\(path).\(Host.processIdentifier).new"
    do {
      let file = try OutputToolError.wrap { try File(draft, .write) }
      try OutputToolError.wrap { try file.write(parts.before) }
      var totals = Totals()
      try Self.write(Array("{\"images\":[".utf8), to: file)
      try typed.forEachImage { image in
        try Task.checkCancellation()
        report.pictures += 1
        totals.add(image)
        guard report.shown < limit else { return }
        guard let written = try catalog.next(), written["id"]?.stringValue == image.id else {
          throw OutputToolError.local(
            "\"\(output)\" was written to while its catalog was read; try again")
        }
        var writer = JSONWriter()
        writer.value(written)
        try Self.write((report.shown > 0 ? [UInt8(ascii: ",")] : []) + writer.take(), to: file)
        report.shown += 1
      }
      var rest = JSONWriter()
      rest.object { object in
        object.member("head", catalog.head)
        object.name("totals")
        object.object { totals.write(to: &$0) }
      }
      // Behind the images: what is told of all of them is known only now.
      try Self.write(Array("],".utf8) + rest.take().dropFirst(), to: file)
      try OutputToolError.wrap { try file.write(parts.after) }
      try OutputToolError.wrap { try FileSystem.rename(draft, to: path) }
    } catch {
      try? FileSystem.remove(draft)
      throw error
    }
    return report
  }

  private static func template() throws -> (before: [UInt8], after: [UInt8]) {
    let page = PackageResources.gallery_html
    let mark = Array(">CATALOG<".utf8)
    guard
      let start = page.indices.first(where: { page[$0...].starts(with: mark) })
    else { throw OutputToolError.local("the gallery's page has no place for a catalog") }
    return (Array(page[...start]), Array(page[(start + mark.count - 1)...]))
  }

  /// JSON within HTML: nothing in it may end the element, or begin a comment.
  private static func write(_ json: [UInt8], to file: borrowing File) throws {
    var bytes: [UInt8] = []
    for byte in json {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    do throws(SystemError) {
      try file.write(bytes)
    } catch {
      throw OutputToolError.local(error.description)
    }
  }

  /// What is told of all pictures together.
  private struct Totals {
    private var images = 0
    private var statuses: [CatalogImage.Status: Int] = [:]
    private var files = 0
    private var bytes = 0

    mutating func add(_ image: CatalogImage) {
      images += 1
      statuses[image.status, default: 0] += 1
      for file in image.variants.flatMap(\.files) {
        files += 1
        let (sum, isLarge) = bytes.addingReportingOverflow(max(0, file.bytes))
        bytes = isLarge ? .max : sum
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
}
