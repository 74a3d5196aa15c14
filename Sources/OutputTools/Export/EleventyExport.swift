internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// The metadata object that eleventy-img's `Image()` gives, for each picture by its id: for each format the files that
/// show the whole picture, smallest first.
final class EleventyExport: Exporting {
  private let context: ExportContext
  private let file: File
  private var isFirst = true

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    file = try File(context.target, .create)
    try file.write(Array("{".utf8))
  }

  func add(_ image: CatalogImage) throws -> Int {
    var formats: [(name: String, files: [(file: CatalogVariant.File, variant: CatalogVariant)])] =
      []
    for variant in image.wholeVariants {
      for file in variant.files {
        let name = String(file.type.dropFirst("image/".count))
        let place = formats.firstIndex { $0.name == name }
        if let place {
          formats[place].files.append((file, variant))
        } else {
          formats.append((name, [(file, variant)]))
        }
      }
    }
    var writer = JSONWriter()
    writer.value(image.id)
    var bytes = Array((isFirst ? "\n" : ",\n").utf8) + writer.take() + Array(":".utf8)
    isFirst = false
    var object = JSONWriter()
    object.object { object in
      for (name, files) in formats {
        object.name(name)
        object.array { list in
          for (file, variant) in files { write(file, of: variant, as: name, to: &list) }
        }
      }
    }
    bytes += object.take()
    try OutputToolError.wrap { try file.write(bytes) }
    return 0
  }

  func finish() throws { try OutputToolError.wrap { try file.write(Array("\n}\n".utf8)) } }

  private func write(
    _ file: CatalogVariant.File, of variant: CatalogVariant, as format: String,
    to list: inout JSONWriter
  ) {
    let url = context.url(file.path)
    list.object { entry in
      entry.member("format", format)
      entry.member("width", variant.width)
      entry.member("height", variant.height)
      entry.member("url", url)
      entry.member("sourceType", file.type)
      entry.member("srcset", "\(url.sourceSetURL) \(variant.width)w")
      entry.member("filename", FileSystem.name(of: file.path))
      entry.member("outputPath", FileSystem.join(context.output, file.path))
      entry.member("size", file.bytes)
    }
  }
}
