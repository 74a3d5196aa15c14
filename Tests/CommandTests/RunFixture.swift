import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// A folder with a pipeline, a manifest and an output, and the command to run on them.
struct Workshop {
  let folder: TemporaryFolder

  static let slots = """
    slots:
      avatar: {size: 36x36, mode: clip}
      card: {size: 180x}
      hero: {size: 414x414, mode: fill}
    """

  /// - Parameters:
  ///   - manifest: its text.
  ///   - keys: further lines of the pipeline; `slots` has a default.
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

  /// With variables of the environment besides.
  func run(environment: [String: String]) async throws -> Tool.Result {
    try await Tool.run(
      Places.tessera, ["run", folder.path("feed.yaml")], environment: environment)
  }

  /// As if the calendar were another: `+8d`, `-1y`. The clock that timers go by is left as it is, because they would wait
  /// for as long.
  func run(at shift: String) async throws -> Tool.Result {
    try await Tool.run(
      "/usr/bin/faketime", ["-f", shift, Places.tessera, "run", folder.path("feed.yaml")],
      environment: ["FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"])
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

  /// Read by the library that apps read it with, and by Foundation's decoder: both see the same.
  var catalog: Catalog {
    get throws {
      let text = try catalogText
      let catalog = try Catalog(reading: text.utf8)
      #expect(try JSONDecoder().decode(Catalog.self, from: Data(text.utf8)) == catalog)
      return catalog
    }
  }

  /// Keeps a catalog for Tests/check-catalogs, where a folder is named for that.
  static func keep(_ text: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["TESSERA_KEEP_CATALOGS"] else { return }
    let name = String(UInt(bitPattern: text.hashValue), radix: 16)
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  /// The numbers of `run.json` by their paths: `items.ok`.
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

  /// The file of an item for a slot at a scale.
  func file(_ id: String, _ slot: String, scale: Double = 3) throws -> String {
    let catalog = try catalog
    let image = try #require(catalog.images.first { $0.id == id })
    return folder.path(
      "out/\(try #require(image.variant(for: slot, scale: scale, in: catalog)).path)")
  }

  /// Checks what holds for every output: the catalog names files that are there and of the stated
  /// size, names are made of contents, and nothing temporary is left.
  func expectWhole() async throws {
    let catalog = try catalog
    for variant in catalog.images.flatMap(\.variants) {
      let files =
        [(variant.path, variant.bytes)] + (variant.also ?? []).map { ($0.path, $0.bytes) }
      for (path, bytes) in files {
        let data = try folder.read("out/\(path)")
        #expect(data.count == bytes)
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
  /// A line for each image: `p1 ok 600x800 jpeg: 64x64 webp, 900x20000 jpeg (webp-size-limit)`; further
  /// formats of a size behind a plus sign.
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
