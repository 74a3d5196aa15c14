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
