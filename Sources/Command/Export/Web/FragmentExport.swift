internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

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
