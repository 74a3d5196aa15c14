internal import TesseraCatalog
internal import TesseraSystem

/// Android drawables: `drawable-mdpi` for scale 1, `xhdpi` for 2, `xxhdpi` for 3 and `xxxhdpi` for
/// 4. Each file is named for its slot and its image (`R.drawable.card_p1`).
final class DrawableExport: Exporting {
  private static let types: Set = ["image/webp", "image/png", "image/jpeg"]
  // A point is a pixel at mdpi. hdpi is left out: its scale of 1.5 is not a whole number.
  private static let densities = [1: "mdpi", 2: "xhdpi", 3: "xxhdpi", 4: "xxxhdpi"]
  let scales: [Int]? = densities.keys.sorted()
  private let context: ExportContext
  private var names = FileNames()

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    try FileSystem.makeDirectory(context.target)
    for scale in context.head.scales {
      if let folder = Self.folder(context, scale) { try FileSystem.makeDirectory(folder) }
    }
  }

  private static func folder(_ context: ExportContext, _ scale: Int) -> String? {
    densities[scale].map { FileSystem.join(context.target, "drawable-\($0)") }
  }

  func add(_ image: CatalogImage) throws -> Int {
    var count = 0
    for slot in context.slots {
      let name = names.unique("\(slot)_\(image.id)".resourceName, for: "\(slot)\n\(image.id)")
      for (variant, scale) in context.files(of: image, in: slot) {
        guard let folder = Self.folder(context, scale) else { continue }
        guard let file = variant.file(accepting: Self.types) else {
          throw OutputToolError(
            "\"\(image.id)\" has no file that every Android shows (WebP, PNG, JPEG), only "
              + "\(variant.type); add one to the pipeline: variants: {format: [avif, webp]}")
        }
        try context.copy(
          file.path, to: FileSystem.join(folder, "\(name).\(file.path.fileExtension)"))
        count += 1
      }
    }
    return count
  }
}
