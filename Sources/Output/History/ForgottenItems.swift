internal import TesseraBytes
package import TesseraCatalog
internal import TesseraJSON
internal import TesseraManifest
package import TesseraSystem
package import TesseraText

/// The marks of images that were forgotten, so that no later run requests them again: the HMACs (RFC 2104) of their ids
/// and URLs, under a key of the output. An id or a URL can not be read from them.
package struct ForgottenItems: Sendable, Equatable {
  package static let path = ".tessera/forgotten.json"
  private static let schema = "tessera-forgotten/1"

  /// Marks by that of an id.
  private typealias Links = [String: Set<String>]

  private let key: [UInt8]
  private var marks: Set<String> = []
  /// By the mark of an image's id, the marks of URLs that are there because it was forgotten, and that no person named.
  private var implied: Links = [:]
  /// By the mark of an image's id, those of its files' names.
  private var files: Links = [:]

  /// Without marks, under a new key.
  package init() { key = (0..<32).map { _ in UInt8.random(in: 0...255) } }

  package var isEmpty: Bool { marks.isEmpty }

  private func mark(id: String) -> String { mark("id \(id)") }
  private func mark(request: String) -> String { mark("request \(request)") }
  /// Apart from requests: several images may be shown with one URL, without the secrets that tell them apart.
  private func mark(shown url: String) -> String { mark("shown \(url)") }

  /// What stays if all images move to another host: the id that the images of a product have in the list, and the file's name. The
  /// id of a product's further image follows from its URL, and so is another one then.
  private func mark(product: String, name: String) -> String { mark("name \(product)\n\(name)") }

  private func mark(_ text: String) -> String {
    Hexadecimal.encode(MessageDigest.sha256.code(of: Array(text.utf8), key: key))
  }

  /// - Parameter request: SHA-256 of the request URL without its fragment and signature.
  package func has(id: String, request: String) -> Bool {
    !marks.isEmpty && (marks.contains(mark(id: id)) || marks.contains(mark(request: request)))
  }

  package func has(id: String) -> Bool { marks.contains(mark(id: id)) }

  /// Whether it is a forgotten image of a product at another address.
  package func hasMoved(id: String, url: String) -> Bool {
    guard !marks.isEmpty, let name = Self.fileName(of: url) else { return false }
    return marks.contains(mark(product: ManifestEntry.sharedID(of: id) ?? id, name: name))
  }

  /// What follows the last slash of a URL's path; nil for none.
  package static func fileName(of url: String) -> String? {
    guard SourceURL.isTransferred(url) else { return nil }
    let path = url.prefix { $0 != "?" && $0 != "#" }.split(
      separator: "/", omittingEmptySubsequences: false)
    return path.count > 3 ? path.last.flatMap { $0.isEmpty ? nil : String($0) } : nil
  }

  /// - Parameter requests: the keys of one URL (``requests(of:ignoring:)``).
  package func hasNamed(_ requests: [String]) -> Bool {
    requests.contains { marks.contains(mark(request: $0)) }
  }

  /// What a URL is marked by: its key without its fragment, its signature and these parameters, and the one that earlier
  /// versions gave it.
  package static func requests(of url: String, ignoring parameters: [String] = []) -> [String] {
    let digest = SHA256.of(SourceURL.cacheKey(url, ignoring: parameters))
    return [String(digest.prefix(keyDigits)), digest]
  }

  /// Digits of a `RecordKey`.
  private static let keyDigits = 32

  /// Whether an image was forgotten, by one of the ids that it may have or by its URL.
  ///
  /// - Parameter parameters: of its query; it may have been marked with them or without.
  package func has(ids: [String], url: String, ignoring parameters: [String] = []) -> Bool {
    guard !marks.isEmpty else { return false }
    if ids.contains(where: { has(id: $0) }) { return true }
    return Set([[], parameters]).contains { parameters in
      Self.requests(of: url, ignoring: parameters).contains { marks.contains(mark(request: $0)) }
    }
  }

  /// Whether the image of a line of a catalog was forgotten, by its id or by the URL that the line shows.
  package func has(line: [UInt8]) -> Bool {
    guard !marks.isEmpty, let (id, url) = CatalogLine.names(in: line) else { return false }
    return has(id: id, shown: url)
  }

  package func has(_ line: CatalogLine) -> Bool {
    has(id: line.id, shown: line.url)
  }

  package func has(_ image: CatalogImage) -> Bool {
    has(id: image.id, shown: image.url)
  }

  private func has(id: String?, shown url: String?) -> Bool {
    if let id, has(id: id) || url.map({ hasMoved(id: id, url: $0) }) == true { return true }
    return url.map { has(shown: $0) } ?? false
  }

  /// - Parameter url: as a catalog shows it; that of a file or of data does not say which it is.
  package func has(shown url: String) -> Bool {
    guard !marks.isEmpty, SourceURL.isTransferred(url) else { return false }
    return marks.contains(mark(shown: url)) || isNamed(url)
  }

  /// Whether a person named the URL. That of an image which was forgotten by its id may be another's, as it is shown.
  private func isNamed(_ url: String) -> Bool {
    Self.requests(of: url).map { mark(request: $0) }
      .contains { marks.contains($0) && !allImplied.contains($0) }
  }

  /// - Parameters:
  ///   - requests: that are named. What an image has besides is implied by its id.
  ///   - sources: the requests of each id.
  ///   - shown: URLs of each id as catalogs show them, which no other image has.
  ///   - names: of the files of each id, which no other image of its product has.
  package mutating func add(
    ids: [String], requests: [String], sources: [Identifier: [String]] = [:],
    shown: [Identifier: Set<Identifier>] = [:], names: [Identifier: Set<Identifier>] = [:]
  ) {
    let named = Set(requests.map { mark(request: $0) })
    unlink(named)
    // Those of earlier calls, too.
    let explicit = marks.subtracting(allImplied).union(named)
    for id in ids {
      let urls = Set(
        (shown[id] ?? []).filter { url in
          !Self.requests(of: url.text).contains { explicit.contains(mark(request: $0)) }
        }.map { mark(shown: $0.text) })
      let product = ManifestEntry.sharedID(of: id) ?? id
      let own = Set((sources[id] ?? []).map { mark(request: $0) }).union(urls).subtracting(explicit)
      marks.formUnion(own.union([mark(id: id)]))
      if !own.isEmpty { implied[mark(id: id), default: []].formUnion(own) }
      let ownFiles = Set((names[id] ?? []).map { mark(product: product, name: $0.text) })
      marks.formUnion(ownFiles)
      if !ownFiles.isEmpty { files[mark(id: id), default: []].formUnion(ownFiles) }
    }
    marks.formUnion(named)
  }

  /// Removes the marks of ids, of requests, and of those that only these ids imply.
  ///
  /// - Returns: the ids whose URLs are unknown, or have a mark still.
  package mutating func remove(ids: [String], requests: [String]) -> [String] {
    let named = Set(requests.map { mark(request: $0) })
    let links = ids.map { implied.removeValue(forKey: mark(id: $0)) ?? [] }
    marks.subtract(links.reduce(into: Set()) { $0.formUnion($1) }.subtracting(allImplied))
    let gone = ids.compactMap { files.removeValue(forKey: mark(id: $0)) }.joined()
    marks.subtract(Set(gone).subtracting(files.values.joined()))
    marks.subtract(ids.map { mark(id: $0) })
    marks.subtract(named)
    unlink(named)
    return zip(ids, links).filter { $1.isEmpty || !$1.isDisjoint(with: marks) }.map(\.0)
  }

  private var allImplied: Set<String> { implied.values.reduce(into: []) { $0.formUnion($1) } }

  /// What a person names is no longer implied.
  private mutating func unlink(_ named: Set<String>) {
    if named.isEmpty { return }
    implied = implied.mapValues { $0.subtracting(named) }.filter { !$0.value.isEmpty }
  }

  // MARK: The document

  /// Those of an output.
  ///
  /// - Throws: also if the document is damaged: without it, forgotten images would come back.
  package static func of(_ output: any Output) async throws(SystemError) -> ForgottenItems {
    try await existing(in: output) ?? ForgottenItems()
  }

  /// Nil if the document is missing.
  static func existing(in output: any Output) async throws(SystemError) -> ForgottenItems? {
    guard let bytes = try await output.document(path) else { return nil }
    return try ForgottenItems(document: bytes, in: output.location)
  }

  /// Those of an output on this machine; none if the folder is not an output.
  package init(in folder: Directory) throws(SystemError) {
    guard try folder.sizes(of: [Self.path])[0] != nil else {
      self.init()
      return
    }
    let file = try folder.open(Self.path, .read)
    try self.init(document: try file.read(try file.size(), at: 0), in: folder.path)
  }

  private init(document bytes: [UInt8], in location: String) throws(SystemError) {
    guard let items = ForgottenItems(document: bytes) else {
      throw .damaged(
        FileSystem.join(location, Self.path),
        "expected the marks of forgotten images; restore it from a backup, or remove it, and forget those images "
          + "again that the manifest still has")
    }
    self = items
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
      for (name, links) in [("implied", implied), ("files", files)] where !links.isEmpty {
        object.name(name)
        object.object { object in
          for (mark, others) in links.sorted(by: { $0.key < $1.key }) {
            object.member(mark, others.sorted())
          }
        }
      }
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
    guard let implied = Self.marks(of: json["implied"]), let files = Self.marks(of: json["files"])
    else { return nil }
    (self.implied, self.files) = (implied, files)
  }

  /// What is linked to the mark of an id.
  private static func marks(of json: JSONValue?) -> Links? {
    guard case .object(let members) = json ?? .object([]) else { return nil }
    var marks: Links = [:]
    for member in members {
      guard let others = member.value.arrayValue?.map(\.stringValue), !others.contains(nil) else {
        return nil
      }
      marks[member.name] = Set(others.compactMap(\.self))
    }
    return marks
  }
}

/// Marks that a state has seen before.
extension ForgottenItems {
  /// Those of an output, of which a state says whether it had any.
  ///
  /// - Parameters:
  ///   - isExpected: whether it had: then a store that answers once that the document is missing is not believed.
  ///   - missing: called if it stays missing; nil to throw then, because forgotten images would come back.
  ///   - sleep: waits between two requests.
  package static func of(
    _ output: any Output, isExpected: Bool, missing: (() -> Void)? = nil,
    sleep: () async -> Void = { try? await Task.sleep(for: .seconds(1)) }
  ) async throws(SystemError) -> ForgottenItems {
    guard isExpected else { return try await of(output) }
    for attempt in 1...3 {
      if let found = try await existing(in: output) { return found }
      if attempt < 3 { await sleep() }
    }
    if let missing {
      missing()
      return ForgottenItems()
    }
    throw .damaged(
      FileSystem.join(output.location, path),
      "the marks of forgotten images are missing, though there were some before; restore the file from a backup, or "
        + "name all those images again in one call: tessera forget \"\(output.location)\" ID…; those that may come back, "
        + "after it with --undo")
  }
}
