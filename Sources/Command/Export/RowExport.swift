internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// A row for each image, for spreadsheets and databases: CSV (RFC 4180) with a header row, or JSON Lines. Images without
/// files have rows, too.
///
/// A row has the id, what the catalog says of the image, and for each slot its size in points and the URL of the file for each
/// scale, of the first format; and `extra` as JSON.
final class RowExport: Exporting {
  private let context: ExportContext
  private let file: File
  private let isTable: Bool

  private static let columns = [
    "id", "status", "width", "height", "format", "alt", "color", "source", "error",
  ]

  init(_ context: ExportContext, asTable isTable: Bool) throws(SystemError) {
    (self.context, self.isTable) = (context, isTable)
    file = try File(context.target, .create)
    guard isTable else { return }
    let slots = context.slots.flatMap { slot in
      ["\(slot) width", "\(slot) height"] + context.head.scales.map { "\(slot) @\($0)x" }
    }
    try write(Self.columns + slots + ["extra"])
  }

  func add(_ image: CatalogImage, extra: String?) throws -> Int {
    isTable ? try write(row(of: image, extra)) : try writeLine(of: image, extra)
    return 0
  }

  func finish() throws {}

  // MARK: CSV

  private func row(of image: CatalogImage, _ extra: String?) -> [String] {
    let facts: [String?] = [
      image.id, image.status.rawValue, image.width.map(String.init), image.height.map(String.init),
      image.format, image.alt, image.placeholder?.color, image.url, image.error?.code,
    ]
    let slots = context.slots.flatMap { slot -> [String?] in
      let size = image.slots[slot]?.box
      let urls = context.head.scales.map { scale in
        file(of: image, slot, scale).map { context.url($0.file) }
      }
      return [size.map { "\($0.width)" }, size.map { "\($0.height)" }] + urls
    }
    return (facts + slots + [extra]).map { $0 ?? "" }
  }

  /// The first format's file, which an image without files does not have.
  private func file(
    of image: CatalogImage, _ slot: String, _ scale: Int
  ) -> (file: CatalogVariant.File, variant: CatalogVariant)? {
    guard let variant = image.variant(for: slot, scale: Double(scale), in: context.head) else {
      return nil
    }
    return variant.files.first.map { ($0, variant) }
  }

  private func write(_ fields: [String]) throws(SystemError) {
    let row = fields.map { field in
      let field = Self.startsFormula(field) ? "'" + field : field
      // RFC 4180, section 2, rules 6 and 7.
      return field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
    }
    try file.write(Array((row.joined(separator: ",") + "\r\n").utf8))
  }

  /// Whether a spreadsheet would compute a field: what people have written in a description could send other fields away. After an
  /// apostrophe it is a text (OWASP, CSV Injection).
  private static func startsFormula(_ field: String) -> Bool {
    field.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
  }

  // MARK: JSON Lines

  private func writeLine(of image: CatalogImage, _ extra: String?) throws {
    var writer = JSONWriter()
    writer.object { row in
      row.member("id", image.id)
      row.member("status", image.status.rawValue)
      if let width = image.width { row.member("width", width) }
      if let height = image.height { row.member("height", height) }
      if let format = image.format { row.member("format", format) }
      if let alt = image.alt { row.member("alt", alt) }
      if let color = image.placeholder?.color { row.member("color", color) }
      if let url = image.url { row.member("source", url) }
      if let error = image.error { row.member("error", error.code) }
      row.name("slots")
      row.object { slots in
        for slot in context.slots {
          guard let use = image.slots[slot] else { continue }
          slots.name(slot)
          slots.object { entry in
            if let size = use.box {
              entry.member("width", size.width)
              entry.member("height", size.height)
            }
            entry.name("files")
            entry.array { list in
              for scale in context.head.scales { write(image, slot, scale, to: &list) }
            }
          }
        }
      }
      if let extra {
        row.name("extra")
        row.value(json: extra)
      }
    }
    try file.write(writer.take() + [UInt8(ascii: "\n")])
  }

  private func write(
    _ image: CatalogImage, _ slot: String, _ scale: Int, to list: inout JSONWriter
  ) {
    guard let (file, variant) = file(of: image, slot, scale) else { return }
    list.object { entry in
      entry.member("scale", scale)
      entry.member("url", context.url(file))
      entry.member("type", file.type)
      entry.member("width", variant.width)
      entry.member("height", variant.height)
      if let bytes = file.bytes { entry.member("bytes", bytes) }
    }
  }
}
