internal import TesseraJSON
package import TesseraSystem
package import TesseraText

extension CatalogTexts {
  /// The id of an image.
  ///
  /// - Throws: if it has none.
  package func id(of text: [UInt8]) throws(SystemError) -> String {
    var id: String?
    do throws(JSONScanner.Failure) {
      var scanner = JSONScanner(text)
      try scanner.beginObject()
      var isFirst = true
      // Tessera writes it first: nothing else of the image is read.
      while id == nil, let name = try scanner.nextName(isFirst: isFirst) {
        isFirst = false
        if name.text == "id" { id = try scanner.string() } else { try scanner.skip() }
      }
    } catch {
      throw damaged("an image is not valid JSON")
    }
    guard let id else { throw damaged("an image has no id") }
    return id
  }

  /// Calls `body` with all images that follow, some at a time, each with its id, and where it is in the document.
  package mutating func forEachBatch(
    of size: Int, _ body: ([(id: String, text: [UInt8], offset: Int)]) async throws -> Void
  ) async throws {
    var batch: [(id: String, text: [UInt8], offset: Int)] = []
    while let (text, offset) = try await nextPlaced() {
      batch.append((try id(of: text), text, offset))
      guard batch.count == size else { continue }
      try Task.checkCancellation()
      try await body(batch)
      batch.removeAll(keepingCapacity: true)
    }
    try await body(batch)
  }

  /// Those of some ids that an output's catalog has.
  package static func ids(
    _ wanted: Set<Identifier>, in output: any Output
  ) async throws(SystemError) -> Set<Identifier> {
    var found: Set<Identifier> = []
    guard try await CurrentCatalog.isThere(in: output) else { return found }
    var texts = CatalogTexts(CurrentCatalog.path, in: output)
    while found.count < wanted.count, let text = try await texts.next() {
      let id = try texts.id(of: text)
      if wanted.contains(id) { found.insert(id) }
    }
    return found
  }
}
