internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// An Xcode asset catalog: a folder for each slot, which is a namespace (`UIImage(named: "card/p1")`), and in it an image
/// set for each picture with its files for 1x, 2x and 3x.
final class AssetCatalogExport: Exporting {
  /// What Xcode compiles.
  private static let types: Set = ["image/png", "image/jpeg", "image/heic"]
  let places: [Int]? = [1, 2, 3]
  private let context: ExportContext
  private var names = FileNames()
  /// The folder of each slot.
  private var folders: [String: String] = [:]

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    try Self.make(context.target) { _ in }
    var names = FileNames()
    for slot in context.slots {
      let folder = FileSystem.join(context.target, names.name(slot.fileName, for: slot))
      folders[slot] = folder
      try Self.make(folder) { object in
        object.name("properties")
        object.object { $0.member("provides-namespace", true) }
      }
    }
  }

  func add(_ image: CatalogImage) throws -> Int {
    var count = 0
    let name = names.name(image.id.fileName, for: image.id) + ".imageset"
    for slot in context.slots {
      let files = context.files(of: image, in: slot).filter { places?.contains($0.scale) == true }
      guard !files.isEmpty, let parent = folders[slot] else { continue }
      let chosen = try files.map { file in
        guard let accepted = file.variant.file(accepting: Self.types) else {
          throw OutputToolError.local(
            "\"\(image.id)\" has no file that an asset catalog takes (PNG, JPEG, HEIC), but "
              + "\(file.variant.type); add one to the pipeline: variants: {format: [webp, compatible]}"
          )
        }
        return (path: accepted.path, scale: file.scale)
      }
      let folder = FileSystem.join(parent, name)
      try Self.make(folder) { object in
        object.name("images")
        object.array { list in
          for file in chosen {
            list.object { entry in
              entry.member("filename", Self.name(file))
              entry.member("idiom", "universal")
              entry.member("scale", "\(file.scale)x")
            }
          }
        }
      }
      for file in chosen {
        try context.copy(file.path, to: FileSystem.join(folder, Self.name(file)))
        count += 1
      }
    }
    return count
  }

  func finish() throws {}

  private static func name(_ file: (path: String, scale: Int)) -> String {
    "\(file.scale)x.\(file.path.fileExtension)"
  }

  private static func make(
    _ folder: String, _ members: (inout JSONWriter) -> Void
  ) throws(SystemError) {
    try FileSystem.makeDirectory(folder)
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      members(&object)
      object.name("info")
      object.object { info in
        info.member("author", "xcode")
        info.member("version", 1)
      }
    }
    let file = try File(FileSystem.join(folder, "Contents.json"), .create)
    try file.write(writer.take() + [0x0A])
  }
}

/// Android drawables: `drawable-mdpi` for scale 1, `xhdpi` for 2, `xxhdpi` for 3 and `xxxhdpi` for 4, each file named
/// for its slot and its picture (`R.drawable.card_p1`).
final class DrawableExport: Exporting {
  private static let types: Set = ["image/webp", "image/png", "image/jpeg"]
  private static let densities = [1: "mdpi", 2: "xhdpi", 3: "xxhdpi", 4: "xxxhdpi"]
  let places: [Int]? = densities.keys.sorted()
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
      let name = names.name("\(slot)_\(image.id)".resourceName, for: "\(slot)\n\(image.id)")
      for (variant, scale) in context.files(of: image, in: slot) {
        guard let folder = Self.folder(context, scale) else { continue }
        guard let file = variant.file(accepting: Self.types) else {
          throw OutputToolError.local(
            "\"\(image.id)\" has no file that every Android draws (WebP, PNG, JPEG), but \(variant.type); add "
              + "one to the pipeline: variants: {format: [avif, webp]}")
        }
        try context.copy(
          file.path, to: FileSystem.join(folder, "\(name).\(file.path.fileExtension)"))
        count += 1
      }
    }
    return count
  }

  func finish() throws {}
}

/// Names that are others for everybody: a Mac's file system takes small and capital letters for the same, and two ids
/// may come to one name. It grows with the pictures; what an app carries with it is not that much.
private struct FileNames {
  private var taken: Set<String> = []

  /// The name; with a part of the digest of what it stands for, where it is taken.
  mutating func name(_ plain: String, for text: String) -> String {
    var name = plain
    while !taken.insert(name.lowercased()).inserted {
      name = "\(plain)_\(SHA256.of("\(name)\n\(text)").prefix(12))"
    }
    return name
  }
}

extension String {
  /// The part behind the last dot.
  fileprivate var fileExtension: Substring {
    utf8.lastIndex(of: UInt8(ascii: ".")).map { self[utf8.index(after: $0)...] } ?? ""
  }

  /// As the name of a file in any file system: ids are never paths. What had to be changed has a part of its digest, so
  /// that two ids are two names.
  fileprivate var fileName: String {
    safe { byte in
      Self.isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
  }

  /// As the name of an Android resource: small letters, digits and underscores, a letter first.
  fileprivate var resourceName: String {
    let name = safe { byte in
      Self.isLetterOrDigit(byte) && !(0x41...0x5A).contains(byte) || byte == UInt8(ascii: "_")
    }
    return name.utf8.first.map { (0x61...0x7A).contains($0) } == true ? name : "i_\(name)"
  }

  private static let longest = 80

  private func safe(_ isAllowed: (UInt8) -> Bool) -> String {
    let bytes = utf8.prefix(Self.longest).map { isAllowed($0) ? $0 : UInt8(ascii: "_") }
    let name = String(decoding: bytes, as: UTF8.self)
    return name == self && !isEmpty ? name : "\(name)_\(SHA256.of(self).prefix(12))"
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
