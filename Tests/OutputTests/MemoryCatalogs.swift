import TesseraBytes
import TesseraCatalog
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import TesseraText

@testable import TesseraOutput

/// Catalogs in an output in memory, published as a run does.
struct MemoryCatalogs {
  let output = MemoryOutput()
  let workspace: Workspace
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    workspace = Workspace(try Directory(folder.path("work"), creates: true), of: "the output")
    try workspace.clear()
  }

  /// Files in two formats, and a third that only an image service makes.
  static let formats =
    #""formats":[{"type":"image/webp","extension":"webp","recipe":"\#(webpRecipe)"},"#
    + #"{"type":"image/jpeg","extension":"jpg","recipe":"\#(jpegRecipe)"},"#
    + #"{"type":"image/avif"}]"#
  private static let (webpRecipe, jpegRecipe) = ("0123456789abcdef", "fedcba9876543210")

  /// - Parameter members: more members, each behind a comma.
  static func head(_ name: String = "feed", _ members: String = "") -> String {
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","#
      + #""libvips":"8"},"#
      + #""pipeline":{"name":"\#(name)","fingerprint":"0"},\#(formats),"#
      + #""slots":{"card":{"width":8,"mode":"fit"}},"scales":[1]\#(members)}"#
  }

  /// What the names of an image's files begin with.
  static func source(of id: String) -> String { String(SHA256.of(id).prefix(32)) }

  /// Where an image's file is.
  static func path(of id: String) -> String { path(of: id, 8, 6, "webp") }

  static func path(of id: String, _ width: Int, _ height: Int, _ fileExtension: String) -> String {
    FileName.path(
      source: source(of: id), width: width, height: height, crop: nil,
      recipe: fileExtension == "webp" ? webpRecipe : jpegRecipe, fileExtension: fileExtension)
  }

  /// An image with a file, and with one at an image service.
  static func image(_ id: String, status: String = "ok") -> String {
    #"{"id":"\#(id)","url":"https://example.com/\#(id).jpg","status":"\#(status)","#
      + #""source":"\#(source(of: id))","variants":[{"width":8,"height":6,"bytes":[5],"#
      + #""urls":[null,null,"https://service.example/\#(id)"]}],"#
      + #""slots":{"card":{"width":8,"height":6,"variants":[0]}}}"#
  }

  /// The screen `feed`.
  ///
  /// - Parameters:
  ///   - first: the number of images in its first document.
  ///   - part: that of each part.
  static func screen(first: Int, part: Int = 1) -> CatalogScreen {
    CatalogScreen(name: "feed", selection: .init(slots: ["card"]), first: first, part: part)
  }

  /// The first document of the screen `feed`.
  static let first = "screens/feed/first.json"

  /// The document of a catalog, as text.
  static func document(_ lines: [String], head: String = head()) -> String {
    let bytes = CatalogDocument.document(Array(head.utf8), lines.map { Array($0.utf8) }) {
      SHA256.of(Array($0))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Publishes a catalog of these images.
  func publish(
    _ ids: [String], screens: [CatalogScreen] = [], head: String = head(),
    keeping count: Int = 3, changes: Int = 0, now: Double = 0
  ) async throws {
    var draft = try await draft(ids.count, screens, head: head)
    for id in ids { try draft.add(Array(Self.image(id).utf8)) }
    try await draft.publish(
      keeping: CatalogRetention(count: count, age: 1_000, changes: changes), now: now)
  }

  /// A catalog that is about to be written.
  func draft(
    _ count: Int, _ screens: [CatalogScreen] = [], head: String = head()
  ) async throws -> CatalogDraft {
    try CatalogDraft(
      head: Array(head.utf8), screens: screens, count: count,
      through: try await LineGate(of: output), in: workspace)
  }

  /// All files, by their paths.
  var files: [String: String] {
    get throws {
      var files: [String: String] = [:]
      for path in output.paths { files[path] = try output.text(path) }
      return files
    }
  }

  /// What is noted of images that are erased, each `id-` and a letter.
  static func erased(_ names: String, _ documents: some Sequence<String>) -> CatalogErasure.Erased {
    let ids = names.map { "id-\($0)" }
    return .init(
      files: Set<Identifier>(of: ids.map(path(of:))),
      serviceURLs: Set<Identifier>(of: ids.map { "https://service.example/\($0)" }),
      sources: Set<Identifier>(of: ids.map { "https://example.com/\($0).jpg" }),
      documents: Set<Identifier>(of: documents), ids: Set<Identifier>(of: ids))
  }
}
