internal import TesseraCatalog
internal import TesseraJSON
package import TesseraSystem

/// What the head of an output's catalog says of it.
package struct CurrentCatalog: Sendable {
  package let name: String
  let form: CatalogForm
  let bytes: Int
  let images: Int?
  let digest: String

  /// The path that it has in the list of kept catalogs.
  package var keptPath: String { KeptCatalog.path(digest: digest, form) }

  /// Reads no more of it than its head.
  ///
  /// - Returns: nil if the output has none, or one that can't be read, which is not worth keeping.
  package init?(of output: any Output) async throws(SystemError) {
    guard let form = try await Self.form(in: output),
      let bytes = try await output.size(of: form.name),
      let (images, digest) = try await Self.readHead(of: form.name, in: output)
    else { return nil }
    (name, self.form, self.bytes, self.images) = (form.name, form, bytes, images)
    if let digest, digest.wholeMatch(of: /[0-9a-f]{64}/) != nil {
      self.digest = digest
    } else {
      // An older version wrote it, or another program: a file is named after the digest.
      self.digest = try await output.digest(of: name)
    }
  }

  /// The form of an output's catalog; nil if it has none.
  package static func form(in output: any Output) async throws(SystemError) -> CatalogForm? {
    var times: [CatalogForm: Double] = [:]
    for form in CatalogForm.allCases { times[form] = try await output.changed(form.name) }
    return CatalogForm.newest(times)
  }

  /// The paths of the files of an output's catalog, those of tables included, some at a time; none if there is no
  /// catalog.
  package static func forEachFiles(
    in output: any Output, _ body: ([String]) async throws -> Void
  ) async throws {
    guard let form = try await form(in: output) else { return }
    var texts = CatalogTexts(form.name, in: output)
    while let paths = try await texts.nextFiles() {
      try Task.checkCancellation()
      try await body(paths)
    }
    let files = texts.tables.flatMap(\.files)
    try await body(files.flatMap { [$0.path, $0.index].compactMap(\.self) })
  }

  private static func readHead(
    of name: String, in output: any Output
  ) async throws(SystemError) -> (images: Int?, digest: String?)? {
    var reader = CatalogReader()
    var offset = 0
    while true {
      let part = try await output.read(name, 1 << 16, at: offset)
      guard !part.isEmpty else { return nil }
      offset += part.count
      reader.add(part)
      do throws(CatalogError) {
        // Another program may have written images before other members.
        while reader.head == nil, try reader.nextText() != nil {}
      } catch {
        // Damage behind the head.
        if reader.head == nil { return nil }
      }
      if let head = reader.head {
        let members = try? JSONParser.parse(reader.headText)
        return (members?["count"]?.intValue, head.digest)
      }
    }
  }
}
