internal import TesseraCatalog
internal import TesseraJSON
package import TesseraSystem

/// What the head of an output's catalog says of it.
package struct CurrentCatalog: Sendable {
  /// Where an output has its catalog.
  package static let path = "catalog.json"

  package let bytes: Int
  package let images: Int?
  package let digest: String

  /// The path that it has in the list of kept catalogs.
  package var keptPath: String { KeptCatalog.path(digest: digest) }

  /// Reads no more of it than its head.
  ///
  /// - Returns: nil if the output has none, or one that can't be read, which is not worth keeping.
  package init?(of output: any Output) async throws(SystemError) {
    var texts = CatalogTexts(Self.path, in: output)
    guard let bytes = try await output.size(of: Self.path),
      let head = try await texts.readHead(), let digest = head.catalog.digest
    else { return nil }
    (self.bytes, self.digest) = (bytes, digest)
    images = head.members["count"]?.intValue
  }

  /// Whether the document ends as one that was written whole. Nothing between its head and its end is read; one that has been
  /// replaced meanwhile is whole.
  package func isWhole(in output: any Output) async throws(SystemError) -> Bool {
    let end = CatalogDocument.end
    let last = try await output.read(Self.path, end.count, at: max(0, bytes - end.count))
    if last == end { return true }
    return try await output.size(of: Self.path) != bytes
  }

  package static func isThere(in output: any Output) async throws(SystemError) -> Bool {
    try await output.size(of: path) != nil
  }

  /// The paths of the files of an output's catalog, those of tables included, some at a time; none if there is no
  /// catalog.
  package static func forEachFiles(
    in output: any Output, _ body: ([String]) async throws -> Void
  ) async throws {
    guard try await isThere(in: output) else { return }
    var texts = CatalogTexts(path, in: output)
    while let paths = try await texts.nextFiles() {
      try Task.checkCancellation()
      try await body(paths)
    }
    let files = texts.tables.flatMap(\.files)
    try await body(files.flatMap { [$0.path, $0.index].compactMap(\.self) })
  }
}
