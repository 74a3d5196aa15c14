internal import TesseraCatalog
package import TesseraSystem

extension Output {
  /// The mark as a process leaves the output that has changed some of it. Nil if a file that the catalog names has vanished
  /// since: the next run then has to look at all of them. Also nil if the output can't tell.
  ///
  /// - Parameter before: when the output was as the last run left it.
  package func mark(after before: OutputMark) async throws(SystemError) -> OutputMark? {
    // First: what vanishes later changes it once more.
    guard let new = try await mark() else { return nil }
    let folders = new.changed(since: before)
    if folders.isEmpty { return new }
    guard let form = try await CurrentCatalog.form(in: self) else { return nil }
    for (path, index) in try await PageFolder.indices(in: self)
    where folders.contains(FileSystem.parent(of: path)) {
      let sizes = try await sizes(of: index.pages.map(\.path))
      guard sizes == index.pages.map(\.bytes) else { return nil }
    }
    var texts = CatalogTexts(form.name, in: self)
    while let text = try await texts.next() {
      // Most lines name no file in them, and are not parsed.
      guard Self.names(aFileIn: folders, text) else { continue }
      guard let files = CatalogLine(text)?.files else { return nil }
      let known = files.filter { folders.contains(FileSystem.parent(of: $0.path)) }
      guard try await sizes(of: known.map(\.path)) == known.map(\.bytes) else { return nil }
    }
    let tables = texts.tables.flatMap(\.files)
      .filter { folders.contains(FileSystem.parent(of: $0.path)) }
    guard try await sizes(of: tables.map(\.path)) == tables.map(\.bytes) else { return nil }
    return new
  }

  /// Whether a text has the path of a file in one of some folders: `variants/3f/`.
  private static func names(aFileIn folders: Set<String>, _ text: [UInt8]) -> Bool {
    let start = Array("\"variants/".utf8)
    var rest = text[...]
    while let quote = rest.firstIndex(of: start[0]) {
      rest = rest[quote...]
      if rest.starts(with: start) {
        let folder = rest.dropFirst().prefix(start.count + 1)
        if folders.contains(String(decoding: folder, as: UTF8.self)) { return true }
      }
      rest = rest.dropFirst()
    }
    return false
  }
}
