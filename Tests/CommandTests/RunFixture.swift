import Foundation
import TesseraCatalog
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

  /// The catalog as the library for apps reads it. Checks that Foundation's decoder agrees.
  var catalog: Catalog {
    get throws {
      let text = try catalogText
      let catalog = try Catalog(reading: text.utf8)
      #expect(try JSONDecoder().decode(Catalog.self, from: Data(text.utf8)) == catalog)
      return catalog
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

  /// The path of an item's file for a slot at a scale.
  func file(_ id: String, _ slot: String, scale: Double = 3) throws -> String {
    let catalog = try catalog
    let image = try #require(catalog.images.first { $0.id == id })
    return folder.path(
      "out/\(try #require(image.variant(for: slot, scale: scale, in: catalog)).reference)")
  }

  /// Checks what holds for every output: the catalog's files exist and have the stated size, names
  /// match contents, and no temporary file is left.
  func expectWhole() async throws {
    let catalog = try catalog
    for variant in catalog.images.flatMap(\.variants) {
      for file in variant.files {
        let path = try #require(file.path)
        let data = try folder.read("out/\(path)")
        #expect(data.count == file.bytes)
        let digest = try await Tool.run("/usr/bin/sha256sum", [folder.path("out/\(path)")])
        let name = path.split(separator: "/").last ?? ""
        #expect(name.hasPrefix(digest.output.prefix(32)))
        #expect(name.contains("-\(variant.width)x\(variant.height)."))
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
      let files = image.variants.map { variant in
        "\(variant.width)x\(variant.height) \(variant.type.dropFirst(6))"
          + (variant.fallback.map { " (\($0))" } ?? "")
          + (variant.also ?? []).map { other in
            " + \(other.type.dropFirst(6))" + (other.fallback.map { " (\($0))" } ?? "")
          }.joined()
      }
      return files.isEmpty ? text : text + ": " + files.joined(separator: ", ")
    }
  }
}
