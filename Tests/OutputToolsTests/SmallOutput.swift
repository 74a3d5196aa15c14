import Foundation
import TesseraBytes
import TesseraTestSupport

@testable import TesseraOutput
@testable import TesseraOutputTools

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

  /// The head of a catalog, as one line of JSON. It ends with the members that are given.
  static func head(_ members: String = #""slots":{},"scales":[1]"#) -> String {
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8"},"#
      + #""pipeline":{"name":"feed","fingerprint":"00"},\#(members)}"#
  }

  /// A published file.
  struct Made {
    var path: String
    var bytes: Int
    var width: Int
    var height: Int
    var type: String

    /// As a variant of an image.
    var json: String {
      #"{"path":"\#(path)","type":"\#(type)","width":\#(width),"height":\#(height),"bytes":\#(bytes)}"#
    }
  }

  /// Publishes a file of an image.
  func make(
    _ content: [UInt8], width: Int = 8, height: Int = 8, type: String = "image/png"
  ) throws -> Made {
    let path = PublishedFile.path(
      digest: SHA256.of(content), width: width, height: height,
      fileExtension: String(type.dropFirst("image/".count)))
    try output.write(path, content)
    return Made(path: path, bytes: content.count, width: width, height: height, type: type)
  }

  func make(_ content: String) throws -> Made { try make(Array(content.utf8)) }

  /// An image's line of a catalog.
  static func line(
    _ id: String, _ files: [Made] = [], status: String = "ok", more: String = ""
  ) -> String {
    let variants = files.map(\.json).joined(separator: ",")
    return #"{"id":"\#(id)","url":"https://example.com/\#(id)","status":"\#(status)","#
      + #""variants":[\#(variants)],"slots":{}\#(more)}"#
  }

  /// Publishes a catalog.
  func publish(
    _ lines: [String], head: String = head(), _ form: CatalogForm = .json, pages: Int? = nil,
    keeping count: Int = 3, age: Double = 1_000_000, now: Double = 0
  ) async throws {
    let head = Array(head.utf8)
    var draft = try await CatalogDraft(
      form, head: head, count: lines.count, publication: .init(pages: pages),
      through: LineGate(of: output), in: workspace)
    for line in lines { try draft.add(Array(line.utf8)) }
    try await draft.publish(
      keeping: CatalogRetention(count: count, age: age), now: now)
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
  func digest(_ name: String = "catalog.json") throws -> String {
    let found = try text(name).firstMatch(of: /"digest":"([0-9a-f]{64})"/)
    return String(found?.output.1 ?? "")
  }
}

/// The sentence of the error that `body` throws; "no error" if it throws none.
func sentence<Value>(_ body: () async throws -> Value) async -> String {
  do {
    _ = try await body()
    return "no error"
  } catch let error as OutputToolError {
    return error.description
  } catch {
    return "another error: \(error)"
  }
}
