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

  /// - Parameter members: more members, each behind a comma.
  static func head(_ name: String = "feed", _ members: String = "") -> String {
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","#
      + #""libvips":"8"},"#
      + #""pipeline":{"name":"\#(name)","fingerprint":"0"},"slots":{},"scales":[1]\#(members)}"#
  }

  static func digest(of id: String) -> String { SHA256.of("file of \(id)") }

  /// Where an image's file is.
  static func path(of id: String) -> String {
    PublishedFile.path(digest: digest(of: id), width: 8, height: 6, fileExtension: "webp")
  }

  /// An image with a file, and with one at an image service.
  static func image(_ id: String, status: String = "ok") -> String {
    #"{"id":"\#(id)","url":"https://example.com/\#(id).jpg","status":"\#(status)","#
      + #""variants":[{"path":"#
      + #""\#(path(of: id))","type":"image/webp","width":8,"height":6,"bytes":5,"#
      + #""also":[{"url":"https://service.example/\#(id)","type":"image/avif"}]}]}"#
  }

  /// Publishes a catalog of these images.
  func publish(
    _ ids: [String], _ form: CatalogForm = .json, pages: Int? = nil, screens: [CatalogScreen] = [],
    head: String = head(), keeping count: Int = 3, patches: Int = 0, now: Double = 0
  ) async throws {
    let bytes = Array(head.utf8)
    var draft = try await CatalogDraft(
      form, head: bytes, count: ids.count, publication: .init(pages: pages, screens: screens),
      through: LineGate(of: output), in: workspace)
    for id in ids { try draft.add(Array(Self.image(id).utf8)) }
    try await draft.publish(
      keeping: CatalogRetention(count: count, age: 1_000, patches: patches), now: now)
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
