internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// The metadata object that eleventy-img's `Image()` returns, for each image by its id: for each
/// format the files of the slot that was requested, or those that show the whole image, smallest first.
final class EleventyExport: Exporting {
  private typealias SizedFile = (file: CatalogVariant.File, variant: CatalogVariant)

  private let context: ExportContext
  private let file: File
  private var isFirst = true

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    file = try File(context.target, .create)
    try file.write(Array("{".utf8))
  }

  func add(_ image: CatalogImage, extra: String?) throws -> Int {
    var name = JSONWriter()
    name.value(image.id)
    var formats = JSONWriter()
    formats.object { object in
      for (format, files) in self.formats(of: image) {
        object.name(format)
        object.array { list in for file in files { write(file, as: format, to: &list) } }
      }
    }
    let separator = isFirst ? "\n" : ",\n"
    isFirst = false
    try file.write(Array(separator.utf8) + name.take() + Array(":".utf8) + formats.take())
    return 0
  }

  func finish() throws { try file.write(Array("\n}\n".utf8)) }

  /// The files by format, in the order in which formats first occur.
  private func formats(of image: CatalogImage) -> [(name: String, files: [SizedFile])] {
    var formats: [(name: String, files: [SizedFile])] = []
    for variant in context.wholeFiles(of: image) {
      for file in variant.files {
        let name = String(file.type.dropFirst("image/".count))
        if let index = formats.firstIndex(where: { $0.name == name }) {
          formats[index].files.append((file, variant))
        } else {
          formats.append((name, [(file, variant)]))
        }
      }
    }
    return formats
  }

  private func write(_ sized: SizedFile, as format: String, to list: inout JSONWriter) {
    let (file, variant) = sized
    let url = context.url(file)
    list.object { entry in
      entry.member("format", format)
      entry.member("width", variant.width)
      entry.member("height", variant.height)
      entry.member("url", url)
      entry.member("sourceType", file.type)
      entry.member("srcset", "\(url.sourceSetURL) \(variant.width)w")
      guard let path = file.path, let bytes = file.bytes else { return }
      entry.member("filename", FileSystem.name(of: path))
      entry.member("outputPath", context.files.name(of: path))
      entry.member("size", bytes)
    }
  }
}
