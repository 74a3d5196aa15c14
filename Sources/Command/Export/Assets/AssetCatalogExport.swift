internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// An Xcode asset catalog: a folder for each slot, which is a namespace
/// (`UIImage(named: "card/p1")`), and in it an image set for each image, with its files for 1x, 2x and 3x (Apple, Asset
/// Catalog Format Reference).
final class AssetCatalogExport: Exporting {
  /// What Xcode compiles.
  private static let types: Set = ["image/png", "image/jpeg"]
  private static let scales = [1, 2, 3]
  private let context: ExportContext
  private let names: AssetNames
  private let exact: ExactFiles

  init(_ context: ExportContext) async throws {
    self.context = context
    names = try AssetNames(context.companions[0])
    exact = try await ExactFiles.start(context, Self.types)
    try Self.make(context.target) { _ in }
    for slot in context.slots {
      try Self.make(folder(of: slot)) { object in
        object.name("properties")
        object.object { $0.member("provides-namespace", true) }
      }
    }
  }

  private func folder(of slot: String) -> String {
    FileSystem.join(context.target, slot.assetName)
  }

  func add(_ image: CatalogImage, extra: String?) async throws -> Int {
    var count = 0
    var made: [(slot: String, asset: String)] = []
    for slot in context.slots {
      let files = try await exact.files(of: image, in: slot, scales: Self.scales)
      guard !files.isEmpty else { continue }
      let folder = FileSystem.join(folder(of: slot), "\(image.id.assetName).imageset")
      try Self.makeImageSet(folder, files)
      for file in files {
        try File(FileSystem.join(folder, Self.name(file)), .create).write(file.bytes)
      }
      count += files.count
      made.append((slot, "\(slot.assetName)/\(image.id.assetName)"))
    }
    try names.add(image.id, made)
    return count
  }

  func finish() throws { try names.finish() }

  func close() { exact.close() }

  private static func makeImageSet(
    _ folder: String, _ files: [ExactFiles.Density]
  ) throws(SystemError) {
    try make(folder) { object in
      object.name("images")
      object.array { list in
        // All three, because Xcode warns of a set that lacks one; without a file it scales another one.
        for scale in scales {
          list.object { entry in
            if let file = files.first(where: { $0.scale == scale }) {
              entry.member("filename", name(file))
            }
            entry.member("idiom", "universal")
            entry.member("scale", "\(scale)x")
          }
        }
      }
    }
  }

  private static func name(_ file: ExactFiles.Density) -> String {
    "\(file.scale)x.\(file.type == "image/png" ? "png" : "jpg")"
  }

  /// Makes a folder with its `Contents.json`.
  private static func make(
    _ folder: String, _ members: (inout JSONWriter) -> Void
  ) throws(SystemError) {
    try FileSystem.makeDirectory(folder)
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      members(&object)
      // Apple's Asset Catalog Format Reference has these two in each Contents.json.
      object.name("info")
      object.object { info in
        info.member("author", "xcode")
        info.member("version", 1)
      }
    }
    let file = try File(FileSystem.join(folder, "Contents.json"), .create)
    try file.write(writer.take() + [UInt8(ascii: "\n")])
  }
}

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
