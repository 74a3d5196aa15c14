internal import TesseraBytes
internal import TesseraCatalog
package import TesseraSystem

/// Writes the documents of a screen while a catalog is written: the first one, and parts with the images that follow.
///
/// A part is named by its bytes, so it never changes, and a reader of an older first document still finds its parts.
final class ScreenWriter {
  /// The path of the first document.
  var first: String { ScreenFolder.first(of: screen.name) }

  private let screen: CatalogScreen
  private let scales: [Int]
  private let head: Catalog
  private let staged: WorkFile
  private let file: File
  private var firstLines: [[UInt8]] = []
  /// Of the part that is not complete.
  private var lines: [[UInt8]] = []
  /// Those that are complete, with where they are in the staged file.
  private var parts: [(path: String, place: Range<Int>)] = []

  /// - Parameter head: that of the catalog, a JSON object.
  static func all(
    _ screens: [CatalogScreen], head: [UInt8], in workspace: Workspace
  ) throws(SystemError) -> [ScreenWriter] {
    guard !screens.isEmpty else { return [] }
    let catalog: Catalog
    do throws(CatalogError) { catalog = try Catalog(readingHead: head) } catch {
      throw .damaged("catalog", "\(error)")
    }
    var writers: [ScreenWriter] = []
    for screen in screens { writers.append(try ScreenWriter(screen, of: catalog, in: workspace)) }
    return writers
  }

  private init(
    _ screen: CatalogScreen, of catalog: Catalog, in workspace: Workspace
  ) throws(SystemError) {
    (self.screen, scales) = (screen, catalog.scales)
    head = screen.head(catalog)
    staged = workspace.staging("screen-\(screen.name).parts")
    file = try staged.open(.write)
  }

  /// - Parameter whole: the image's line of the catalog.
  func add(_ whole: [UInt8]) throws(SystemError) {
    let image: CatalogImage
    do throws(CatalogError) {
      image = screen.image(try CatalogImage(reading: whole, head.formats), scales: scales)
    } catch {
      throw .damaged("catalog", "\(error)")
    }
    // An image that is not used in the screen's slots is not seen there.
    guard !image.slots.isEmpty else { return }
    let line = image.line(extra: image.extra == nil ? nil : CatalogImage.extra(ofLine: whole))
    guard firstLines.count == screen.first else { return firstLines.append(line) }
    lines.append(line)
    if lines.count == screen.part { try endPart() }
  }

  private func endPart() throws(SystemError) {
    guard !lines.isEmpty else { return }
    let bytes = ScreenFolder.document(head.sortedHeadLine, lines)
    lines.removeAll()
    let start = parts.last?.place.upperBound ?? 0
    parts.append((ScreenFolder.part(of: screen.name, bytes), start..<start + bytes.count))
    try file.write(bytes)
  }

  /// Writes the parts that are not there yet.
  ///
  /// - Parameter digest: that of the catalog.
  /// - Returns: the first document, which readers see together with the catalog.
  func publish(
    to output: any Output, digest: String
  ) async throws(SystemError) -> [UInt8] {
    try endPart()
    let written = try staged.open(.read)
    for (path, place) in parts where try await !output.has(path, bytes: place.count) {
      try await output.write(path, written.read(place.count, at: place.lowerBound))
    }
    try staged.remove()
    var head = head
    head.catalogDigest = digest
    head.parts = parts.isEmpty ? nil : parts.map(\.path)
    return ScreenFolder.document(head.sortedHeadLine, firstLines)
  }
}

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
