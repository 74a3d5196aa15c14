internal import TesseraCatalog
internal import TesseraJSON
package import TesseraSystem

/// What the head of an output's catalog says of it.
package struct CurrentCatalog: Sendable {
  package let name: String
  let form: CatalogForm
  package let bytes: Int
  package let images: Int?
  package let digest: String

  /// The path that it has in the list of kept catalogs.
  package var keptPath: String { KeptCatalog.path(digest: digest, form) }

  /// Reads no more of it than its head.
  ///
  /// - Returns: nil if the output has none, or one that can't be read, which is not worth keeping.
  package init?(of output: any Output) async throws(SystemError) {
    guard let form = try await Self.form(in: output),
      let bytes = try await output.size(of: form.name),
      let head = try await Self.head(of: form.name, in: output)
    else { return nil }
    (name, self.form, self.bytes) = (form.name, form, bytes)
    images = head.members["count"]?.intValue
    if let digest = head.catalog.digest, digest.wholeMatch(of: /[0-9a-f]{64}/) != nil {
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

  private static func head(
    of name: String, in output: any Output
  ) async throws(SystemError) -> (catalog: Catalog, members: JSONValue)? {
    var texts = CatalogTexts(name, in: output)
    return try await texts.readHead()
  }
}
