internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// A page with a `picture` element for each image and slot, and its style sheet: in a file beside it, or, with a nonce,
/// in the page.
final class HTMLExport: Exporting {
  private let context: ExportContext
  private let file: File
  /// Nil if the style sheet is in the page.
  private let sheet: Sheet?
  private var style: PictureStyle
  private var markup: PictureMarkup

  /// - Parameter catalog: is read once for the rules of a style sheet in the page.
  init(_ context: ExportContext, _ catalog: CatalogFile) throws {
    self.context = context
    style = PictureStyle(head: context.head, slots: context.slots)
    markup = PictureMarkup(context)
    file = try File(context.target, .create)
    sheet = try context.companions.first.map { try Sheet($0) }
    let title = Self.title(context).escapedHTML
    try write(
      "<!doctype html>\n<html lang=\"\(context.options.language.escapedHTML)\">\n<head>\n"
        + "<meta charset=\"utf-8\">\n"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        + "<title>\(title)</title>\n")
    try preload(catalog)
    // In a line, a tall image that arrives later would move those before it.
    let common =
      "picture{display:block}\n" + style.common(isFluid: context.options.isFluid)
    if let sheet {
      try sheet.write(common)
      try write("<link rel=\"stylesheet\" href=\"\(context.companionNames[0].escapedHTML)\">\n")
    } else {
      try write("<style nonce=\"\((context.options.nonce ?? "").escapedHTML)\">\n\(common)")
      var images = try catalog.images()
      while let image = try images.next() { try write(style.rules(for: image)) }
      try write("</style>\n")
    }
    try write("</head>\n<body>\n<main>\n<h1>\(title)</h1>\n")
  }

  private func preload(_ catalog: CatalogFile) throws {
    var markup = markup
    var images = try catalog.images()
    while markup.isEager, let image = try images.next() {
      for link in markup.preloads(of: image) { try write("\(link)\n") }
    }
  }

  /// A page has to have a title, and the name of a pipeline may be empty.
  private static func title(_ context: ExportContext) -> String {
    let name = context.head.pipeline.name
    let output = FileSystem.realPath(context.files.location) ?? context.files.location
    return name.contains { !$0.isWhitespace } ? name : FileSystem.name(of: output)
  }

  func add(_ image: CatalogImage, extra: String?) throws -> Int {
    let lines = markup.pictures(of: image).map { $0.text + "\n" }.joined()
    try write(lines)
    if let sheet, !lines.isEmpty { try sheet.write(style.rules(for: image)) }
    return 0
  }

  func finish() throws { try write("</main>\n</body>\n</html>\n") }

  private func write(_ text: String) throws(SystemError) { try file.write(Array(text.utf8)) }

  /// A style sheet in a file of its own.
  private final class Sheet {
    private let file: File

    init(_ path: String) throws(SystemError) { file = try File(path, .create) }

    func write(_ text: String) throws(SystemError) { try file.write(Array(text.utf8)) }
  }
}

/// The `picture` elements as JSON by ids and slots, for templates: `{"p1": {"card": "<picture>…"}}`, with the rules
/// of a style sheet beside them.
final class FragmentExport: Exporting {
  private let file: File
  private let sheet: File
  private var style: PictureStyle
  private var markup: PictureMarkup
  private var isFirst = true

  init(_ context: ExportContext) throws(SystemError) {
    file = try File(context.target, .create)
    sheet = try File(context.companions[0], .create)
    style = PictureStyle(head: context.head, slots: context.slots)
    markup = PictureMarkup(context)
    try file.write(Array("{".utf8))
    try sheet.write(Array(style.common(isFluid: context.options.isFluid).utf8))
  }

  func add(_ image: CatalogImage, extra: String?) throws -> Int {
    var name = JSONWriter()
    name.value(image.id)
    var entry = JSONWriter()
    entry.object { object in
      for picture in markup.pictures(of: image) { object.member(picture.slot, picture.text) }
    }
    let separator = isFirst ? "\n" : ",\n"
    isFirst = false
    try file.write(Array(separator.utf8) + name.take() + Array(":".utf8) + entry.take())
    try sheet.write(Array(style.rules(for: image).utf8))
    return 0
  }

  func finish() throws { try file.write(Array("\n}\n".utf8)) }
}
