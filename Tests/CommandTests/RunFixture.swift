import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraImageHeader
import TesseraTestSupport
import Testing

/// A pipeline in a temporary folder: its file, a manifest and an output, and the command to run it.
struct RunFixture {
  let folder: TemporaryFolder

  static let slots = """
    slots:
      avatar: {size: 36x36, mode: clip}
      card: {size: 180x}
      hero: {size: 414x414, mode: fill}
    """

  /// - Parameters:
  ///   - manifest: the text of the manifest.
  ///   - keys: further lines of the pipeline file.
  ///   - slots: its `slots`.
  init(manifest: String, keys: String = "", slots: String = slots) throws {
    folder = try TemporaryFolder()
    try folder.write(manifest, to: "manifest")
    try write(keys: keys, slots: slots)
  }

  func write(keys: String, slots: String = slots) throws {
    let fetch = keys.contains("fetch:") ? "" : "fetch: {allow: loopback, retries: 0}\n"
    try folder.write(
      "manifest: manifest\noutput: out\n\(slots)\n\(fetch)\(keys)\n", to: "feed.yaml")
  }

  func run(_ options: String...) async throws -> Tool.Result {
    try await Tool.run(Places.tessera, ["run", folder.path("feed.yaml")] + options)
  }

  /// Runs with additional environment variables.
  func run(environment: [String: String]) async throws -> Tool.Result {
    try await Tool.run(
      Places.tessera, ["run", folder.path("feed.yaml")], environment: environment)
  }

  /// Runs with another date.
  func run(daysAhead days: Int) async throws -> Tool.Result {
    let library = try await Shim.build("clock", in: folder)
    return try await run(environment: ["LD_PRELOAD": library, "SHIM_SHIFT": "\(days * 86_400)"])
  }

  func start(_ options: String...) throws -> Tool.Running {
    try Tool.start(Places.tessera, ["run", folder.path("feed.yaml")] + options)
  }

  var catalogText: String {
    get throws {
      let text = try folder.text("out/catalog.json")
      try Self.keep(text)
      return text
    }
  }

  /// The catalog as the library for apps reads it. Checks that its digest is that of its bytes.
  var catalog: Catalog {
    get throws {
      try Catalog(
        reading: Array(try catalogText.utf8), verifiedBy: { MessageDigest.sha256.digest(of: $0) })
    }
  }

  /// Keeps a catalog for Tests/check-catalogs, if the environment names a folder.
  static func keep(_ text: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["TESSERA_KEEP_CATALOGS"] else { return }
    let name = String(UInt(bitPattern: text.hashValue), radix: 16)
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  /// The numbers in `run.json`, by path: `items.ok`.
  var report: [String: Int] {
    get throws {
      var numbers: [String: Int] = [:]
      func collect(_ value: Any, _ path: String) {
        if let group = value as? [String: Any] {
          for (name, value) in group { collect(value, path.isEmpty ? name : "\(path).\(name)") }
        } else if let number = value as? Int {
          numbers[path] = number
        }
      }
      collect(try JSONSerialization.jsonObject(with: folder.read("out/run.json")), "")
      return numbers
    }
  }

  /// The document of a catalog, as a run writes it.
  ///
  /// - Parameter head: its members, as a JSON object.
  static func document(_ lines: [String], head: String) -> String {
    let bytes = CatalogDocument.document(Array(head.utf8), lines.map { Array($0.utf8) }) {
      SHA256.of(Array($0))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path of an item's file for a slot at a scale.
  func file(_ id: String, _ slot: String, scale: Double = 3) throws -> String {
    let catalog = try catalog
    let image = try #require(catalog.images.first { $0.id == id })
    return folder.path(
      "out/\(try #require(image.variant(for: slot, scale: scale, in: catalog)).reference)")
  }

  /// Checks what holds for every output: the catalog's files exist and have the stated size and format, their names say
  /// what they are, and no temporary file is left.
  func expectWhole() async throws {
    let catalog = try catalog
    for image in catalog.images {
      for variant in image.variants {
        for file in variant.allFiles {
          let path = try #require(file.path)
          let data = try folder.read("out/\(path)")
          #expect(data.count == file.bytes)
          let parts = try #require(FileName.parts(of: path))
          #expect(parts.source == image.source ?? "" && parts.crop == variant.crop.map { $0[...] })
          #expect((parts.width, parts.height) == (variant.width, variant.height))
          let format = catalog.formats[try #require(file.format)]
          #expect(parts.recipe == format.recipe ?? "" && file.type == format.type)
          guard case .header(let header) = ImageHeader.read(Array(data).span, isWhole: true) else {
            Issue.record("\(path) is no image")
            continue
          }
          #expect((header.width, header.height) == (variant.width, variant.height))
        }
      }
    }
    #expect(folder.files(below: "out/.tessera/staging").isEmpty)
    #expect(folder.files(below: "out/.tessera/spool").isEmpty)
  }
}

extension Catalog {
  /// One line per image: `p1 ok 600x800 jpeg: 64x64 webp, 900x20000 jpeg (webp-size-limit)`.
  /// Further formats of a size follow a plus sign.
  var outline: [String] {
    images.map { image in
      var text = "\(image.id) \(image.status.rawValue)"
      if let width = image.width, let height = image.height { text += " \(width)x\(height)" }
      if let format = image.format { text += " \(format)" }
      if let error = image.error { text += " [\(error.code)]" }
      let files = image.variants.map { variant -> String in
        let types = variant.files.map { String($0.type.dropFirst(6)) }
        let first = types[0] + (variant.fallback.map { " (\($0))" } ?? "")
        return "\(variant.width)x\(variant.height) "
          + ([first] + types.dropFirst()).joined(separator: " + ")
      }
      return files.isEmpty ? text : text + ": " + files.joined(separator: ", ")
    }
  }
}
