internal import TesseraBytes
internal import TesseraCatalog
package import TesseraSystem

/// The folder of a screen in an output, `screens/feed`:
///
///     first.json       the images that are seen first; it names the parts
///     3f9c….json       a part with the images that follow
package enum ScreenFolder {
  static func path(of screen: String) -> String { "\(CatalogScreen.folder)/\(screen)" }
  static func first(of screen: String) -> String { "\(path(of: screen))/first.json" }

  /// The path of a part, by its bytes.
  static func part(of screen: String, _ bytes: [UInt8]) -> String {
    "\(path(of: screen))/\(SHA256.of(bytes).prefix(32)).json"
  }

  static func document(_ head: [UInt8], _ lines: [[UInt8]]) -> [UInt8] {
    CatalogDocument.document(head, lines) { SHA256.of(Array($0)) }
  }

  /// The name of the screen that a path is the first document of; nil for another path.
  static func screen(ofFirst path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == CatalogScreen.folder, CatalogScreen.isName(parts[1]),
      parts[2] == "first.json"
    else { return nil }
    return String(parts[1])
  }

  /// Whether a path is that of a document that is replaced together with the catalog.
  package static func isFirst(_ path: String) -> Bool { screen(ofFirst: path) != nil }

  /// The folders that an output has.
  package static func all(in output: any Output) async throws(SystemError) -> [String] {
    do throws(SystemError) {
      return try await output.listIfThere(CatalogScreen.folder)
        .filter { $0.kind == .folder && CatalogScreen.isName($0.name) }.map { path(of: $0.name) }
    } catch {
      // Not made by a run.
      guard error.isLink else { throw error }
      return []
    }
  }

  /// The first documents that an output has.
  package static func firsts(in output: any Output) async throws(SystemError) -> [String] {
    var found: [String] = []
    for folder in try await all(in: output) {
      let path = "\(folder)/first.json"
      // Another program may have a folder of this name.
      if try await output.size(of: path) != nil, try await CatalogTexts.isOurs(path, in: output) {
        found.append(path)
      }
    }
    return found
  }

  /// The catalog that a first document belongs to, by its digest, and the paths of its parts; nil if it is damaged.
  ///
  /// - Parameter path: of the document, or of a copy of it.
  package static func parts(
    of path: String, in output: any Output
  ) async throws(SystemError) -> (catalog: String?, parts: [String])? {
    var texts = CatalogTexts(path, in: output)
    return try await texts.readHead().map { ($0.catalog.catalogDigest, $0.catalog.parts ?? []) }
  }
}
