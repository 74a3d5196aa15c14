import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraSystem
import TesseraTestSupport

@testable import TesseraOutput
@testable import tessera

/// An output in a temporary folder, with catalogs that are published as a run does.
struct SmallOutput {
  let folder: TemporaryFolder
  let output: DirectoryOutput
  let workspace: Workspace
  var root: String { output.location }
  var statePath: String { get throws { try workspace.statePath() } }

  init(_ folder: TemporaryFolder? = nil, name: String = "out") throws {
    self.folder = try folder ?? TemporaryFolder()
    output = try DirectoryOutput(self.folder.path(name), creates: true)
    try output.prepare()
    workspace = try output.workspace()
    try workspace.clear()
  }

  /// The formats of its catalogs, the preferred one first. One recipe is enough: formats differ in their extension.
  static let formats = ["avif", "webp", "png"].map { (name: String) in
    CatalogFormat(type: "image/\(name)", fileExtension: name, recipe: recipe)
  }
  static let recipe = "00000000000000aa"

  /// The head of a catalog, as one line of JSON. It ends with the members that are given.
  static func head(_ members: String = #""slots":{},"scales":[1]"#) -> String {
    let formats = formats.map {
      #"{"type":"\#($0.type)","extension":"\#($0.fileExtension ?? "")","recipe":"\#(recipe)"}"#
    }
    return
      #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8"},"#
      + #""pipeline":{"name":"feed","fingerprint":"00"},"#
      + #""formats":[\#(formats.joined(separator: ","))],\#(members)}"#
  }

  /// A published file.
  struct Made {
    var source: String
    var bytes: Int
    var width: Int
    var height: Int
    var type: String
    var sha256: String
    /// Nil if it shows all of its image.
    var crop: String?

    /// - Parameter source: a text for each source; nil for one of the file's own.
    init(
      of content: [UInt8], source: String? = nil, width: Int = 8, height: Int = 8,
      type: String = "image/png", crop: String? = nil
    ) {
      self.crop = crop
      sha256 = SHA256.of(content)
      self.source = source.map(SmallOutput.source) ?? String(sha256.prefix(32))
      (bytes, self.width, self.height, self.type) = (content.count, width, height, type)
    }

    var path: String {
      FileName.path(
        source: source, width: width, height: height, crop: crop, recipe: SmallOutput.recipe,
        fileExtension: String(type.dropFirst("image/".count)))
    }

    /// As a catalog describes it.
    var published: PublishedFile {
      PublishedFile(
        path: path, type: type, bytes: bytes, width: width, height: height, sha256: sha256)
    }

    /// As a variant of an image.
    var json: String { SmallOutput.variant([self]) }
  }

  /// The source of an image, by any text.
  static func source(_ text: String) -> String { String(SHA256.of(text).prefix(32)) }

  /// A row of a variant, with a value for each format.
  ///
  /// - Parameter values: JSON by media types.
  static func row(_ values: [String: String]) -> String {
    let row = formats.map { values[$0.type] ?? "null" }
    let last = row.lastIndex { $0 != "null" } ?? -1
    return "[\(row.prefix(last + 1).joined(separator: ","))]"
  }

  /// Files of one size as a variant of an image.
  static func variant(_ files: [Made]) -> String {
    let bytes = row(.init(uniqueKeysWithValues: files.map { ($0.type, "\($0.bytes)") }))
    let crop = files[0].crop.map { #""crop":"\#($0)","# } ?? ""
    return
      #"{"width":\#(files[0].width),"height":\#(files[0].height),\#(crop)"bytes":\#(bytes)}"#
  }

  /// A variant that an image service makes.
  static func variant(
    url: String, type: String = "image/png", width: Int = 8, height: Int = 8
  ) -> String {
    #"{"width":\#(width),"height":\#(height),"urls":\#(row([type: "\"\(url)\""]))}"#
  }

  /// Publishes a file of an image.
  ///
  /// - Parameter source: a text for each source; nil for one of the file's own.
  func make(
    _ content: [UInt8], of source: String? = nil, width: Int = 8, height: Int = 8,
    type: String = "image/png", crop: String? = nil
  ) throws -> Made {
    let made = Made(
      of: content, source: source, width: width, height: height, type: type, crop: crop)
    try output.write(made.path, content)
    return made
  }

  func make(_ content: String, of source: String? = nil, width: Int = 8) throws -> Made {
    try make(Array(content.utf8), of: source, width: width)
  }

  /// An image's line of a catalog.
  ///
  /// - Parameters:
  ///   - files: all of one source.
  ///   - isCard: whether ``feed`` shows it, with its first file.
  static func line(
    _ id: String, _ files: [Made] = [], status: String = "ok", isCard: Bool = false,
    more: String = ""
  ) -> String {
    precondition(Set(files.map(\.source)).count < 2, "an image has one source")
    let source = files.first.map { #""source":"\#($0.source)","# } ?? ""
    let variants = files.map(\.json).joined(separator: ",")
    let first = files.isEmpty ? "" : "0"
    let slots = isCard ? #""card":{"width":8,"height":8,"variants":[\#(first)]}"# : ""
    return #"{"id":"\#(id)","url":"https://example.com/\#(id)","status":"\#(status)",\#(source)"#
      + #""variants":[\#(variants)],"slots":{\#(slots)}\#(more)}"#
  }

  /// The document of a catalog.
  static func document(_ lines: [String], head: String = head()) -> String {
    let bytes = CatalogDocument.document(Array(head.utf8), lines.map { Array($0.utf8) }) {
      SHA256.of(Array($0))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A screen with one image in each document.
  static let feed = CatalogScreen(
    name: "feed", selection: CatalogSelection(slots: ["card"]), first: 1, part: 1)

  /// The paths of the parts that the first document of ``feed`` names.
  func parts(of path: String = "screens/feed/first.json") throws -> [String] {
    try text(path).matches(of: /screens\/feed\/[0-9a-f]{32}\.json/).map { String($0.output) }
  }

  /// Publishes a catalog.
  func publish(
    _ lines: [String], head: String = head(), screens: [CatalogScreen] = [],
    keeping count: Int = 3, age: Double = 1_000_000, changes: Int = 0, now: Double = 0
  ) async throws {
    let head = Array(head.utf8)
    var draft = try await CatalogDraft(
      head: head, screens: screens, count: lines.count, through: LineGate(of: output),
      in: workspace)
    for line in lines { try draft.add(Array(line.utf8)) }
    try await draft.publish(
      keeping: CatalogRetention(count: count, age: age, changes: changes), now: now)
  }

  /// The text of a file of the output.
  func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: "\(root)/\(path)")), as: UTF8.self)
  }

  func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(root)/\(path)") }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: "\(root)/\(path)")
  }

  func write(_ text: String, to path: String) throws {
    try output.write(path, Array(text.utf8))
  }

  /// The digest that the head of the current catalog states.
  func digest() throws -> String {
    let found = try text("catalog.json").firstMatch(of: /"digest":"([0-9a-f]{64})"/)
    return String(found?.output.1 ?? "")
  }
}

/// The sentence of the error that `body` throws; "no error" if it throws none.
func sentence<Value>(_ body: () async throws -> Value) async -> String {
  do {
    _ = try await body()
    return "no error"
  } catch {
    return TesseraError(error).description
  }
}
