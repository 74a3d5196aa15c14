internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// An Xcode asset catalog: a folder for each slot, which is a namespace
/// (`UIImage(named: "card/p1")`), and in it an image set for each image, with its files for 1x, 2x and 3x.
final class AssetCatalogExport: Exporting {
  private typealias ScaledFile = (path: String, scale: Int)

  /// What Xcode compiles.
  private static let types: Set = ["image/png", "image/jpeg", "image/heic"]
  private static let scales = [1, 2, 3]
  var scales: [Int]? { Self.scales }
  private let context: ExportContext
  private var names = FileNames()
  /// The folder of each slot.
  private var folders: [String: String] = [:]

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    try Self.make(context.target) { _ in }
    var names = FileNames()
    for slot in context.slots {
      let folder = FileSystem.join(context.target, names.unique(slot.fileName, for: slot))
      folders[slot] = folder
      try Self.make(folder) { object in
        object.name("properties")
        object.object { $0.member("provides-namespace", true) }
      }
    }
  }

  func add(_ image: CatalogImage) throws -> Int {
    var count = 0
    let name = names.unique(image.id.fileName, for: image.id) + ".imageset"
    for slot in context.slots {
      let files = try files(of: image, in: slot)
      guard !files.isEmpty, let parent = folders[slot] else { continue }
      let folder = FileSystem.join(parent, name)
      try Self.makeImageSet(folder, files)
      for file in files {
        try context.copy(file.path, to: FileSystem.join(folder, Self.name(file)))
        count += 1
      }
    }
    return count
  }

  private func files(
    of image: CatalogImage, in slot: String
  ) throws(OutputToolError) -> [ScaledFile] {
    var files: [ScaledFile] = []
    for (variant, scale) in context.files(of: image, in: slot) where Self.scales.contains(scale) {
      guard let file = variant.file(accepting: Self.types) else {
        throw OutputToolError(
          "\"\(image.id)\" has no file that an asset catalog accepts (PNG, JPEG, HEIC), only "
            + "\(variant.type); add one to the pipeline: variants: {format: [webp, compatible]}")
      }
      files.append((file.path, scale))
    }
    return files
  }

  private static func makeImageSet(_ folder: String, _ files: [ScaledFile]) throws(SystemError) {
    try make(folder) { object in
      object.name("images")
      object.array { list in
        for file in files {
          list.object { entry in
            entry.member("filename", name(file))
            entry.member("idiom", "universal")
            entry.member("scale", "\(file.scale)x")
          }
        }
      }
    }
  }

  private static func name(_ file: ScaledFile) -> String {
    "\(file.scale)x.\(file.path.fileExtension)"
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
