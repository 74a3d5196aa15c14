package import TesseraSystem
package import TesseraText

extension CatalogTexts {
  /// The id of an image.
  ///
  /// - Throws: if it has none.
  package func id(of text: [UInt8]) throws(SystemError) -> String {
    guard let names = CatalogLine.names(in: text) else {
      throw damaged("an image is not valid JSON")
    }
    guard let id = names.id else { throw damaged("an image has no id") }
    return id
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
