internal import TesseraBytes
internal import TesseraJSON
package import TesseraSystem
internal import TesseraText

/// The marks of images that were forgotten, so that no later run requests them again: the HMACs (RFC 2104) of their ids
/// and URLs, under a key of the output. An id or a URL can not be read from them.
package struct ForgottenItems: Sendable, Equatable {
  package static let path = ".tessera/forgotten.json"
  private static let schema = "tessera-forgotten/1"

  private let key: [UInt8]
  private var marks: Set<String> = []

  /// Without marks, under a new key.
  init() { key = (0..<32).map { _ in UInt8.random(in: 0...255) } }

  package var isEmpty: Bool { marks.isEmpty }

  private func mark(id: String) -> String { mark("id \(id)") }
  private func mark(request: String) -> String { mark("request \(request)") }

  private func mark(_ text: String) -> String {
    Hexadecimal.encode(MessageDigest.sha256.code(of: Array(text.utf8), key: key))
  }

  /// - Parameter request: SHA-256 of the request URL without its fragment and signature.
  package func has(id: String, request: String) -> Bool {
    !marks.isEmpty && (marks.contains(mark(id: id)) || marks.contains(mark(request: request)))
  }

  package func has(id: String) -> Bool { marks.contains(mark(id: id)) }

  package mutating func add(ids: [String], requests: [String]) {
    marks.formUnion(ids.map { mark(id: $0) } + requests.map { mark(request: $0) })
  }

  package mutating func remove(ids: [String], requests: [String]) {
    marks.subtract(ids.map { mark(id: $0) } + requests.map { mark(request: $0) })
  }

  // MARK: The document

  /// Those of an output.
  ///
  /// - Throws: also if the document is damaged: without it, forgotten images would come back.
  package static func of(_ output: any Output) async throws(SystemError) -> ForgottenItems {
    guard let size = try await output.size(of: path) else { return ForgottenItems() }
    guard let items = ForgottenItems(document: try await output.read(path, size, at: 0)) else {
      throw .damaged(
        FileSystem.join(output.location, path),
        "expected the marks of forgotten images; restore it from a backup, or remove it, and forget those images "
          + "again that the manifest still has")
    }
    return items
  }

  /// Of all marks; the key alone says nothing.
  package var digest: String { marks.isEmpty ? "" : SHA256.of(document) }

  package func write(to output: any Output, _ workspace: Workspace) async throws(SystemError) {
    let staged = workspace.staging("forgotten")
    try staged.open(.write).write(document)
    try await output.write(Self.path, staged: staged)
  }

  private var document: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("schema", Self.schema)
      object.member("key", Hexadecimal.encode(key))
      object.name("marks")
      object.array { list in for mark in marks.sorted() { list.value(mark) } }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  init?(document bytes: [UInt8]) {
    guard let json = try? JSONParser.parse(bytes), json["schema"]?.stringValue == Self.schema,
      let key = json["key"]?.stringValue.flatMap(Hexadecimal.decode), !key.isEmpty,
      let list = json["marks"]?.arrayValue?.map(\.stringValue), !list.contains(nil)
    else { return nil }
    self.key = key
    marks = Set(list.compactMap(\.self))
  }
}
