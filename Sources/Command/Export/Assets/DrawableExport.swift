internal import TesseraCatalog
internal import TesseraSystem

/// Android drawables: `drawable-mdpi` for scale 1, `xhdpi` for 2, `xxhdpi` for 3 and `xxxhdpi` for
/// 4. Each file is named for its slot and its image (`R.drawable.card_p1`).
final class DrawableExport: Exporting {
  private static let types: Set = ["image/webp", "image/png", "image/jpeg"]
  // A point is a pixel at mdpi. hdpi is left out: its scale of 1.5 is not a whole number.
  private static let densities = [1: "mdpi", 2: "xhdpi", 3: "xxhdpi", 4: "xxxhdpi"]
  private let context: ExportContext
  private let names: AssetNames
  private let exact: ExactFiles
  private let scales: [Int]

  init(_ context: ExportContext) async throws {
    self.context = context
    names = try AssetNames(context.companions[0])
    exact = try await ExactFiles.start(context, Self.types)
    scales = Self.densities.keys.sorted()
    try FileSystem.makeDirectory(context.target)
  }

  func add(_ image: CatalogImage, extra: String?) async throws -> Int {
    var count = 0
    var made: [(slot: String, asset: String)] = []
    for slot in context.slots {
      let name = "\(slot.assetName)_\(image.id.assetName)"
      for file in try await exact.files(of: image, in: slot, scales: scales) {
        guard let density = Self.densities[file.scale] else { continue }
        let folder = FileSystem.join(context.target, "drawable-\(density)")
        try FileSystem.makeDirectory(folder)
        let path = FileSystem.join(folder, "\(name).\(Self.fileExtension(file.type))")
        try File(path, .create).write(file.bytes)
        count += 1
      }
      if image.slots[slot] != nil { made.append((slot, name)) }
    }
    try names.add(image.id, made)
    return count
  }

  private static func fileExtension(_ type: String) -> String {
    type == "image/jpeg" ? "jpg" : String(type.dropFirst("image/".count))
  }

  func finish() throws { try names.finish() }

  func close() { exact.close() }
}
