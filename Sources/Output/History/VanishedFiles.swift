internal import TesseraCatalog
package import TesseraSystem
internal import TesseraText

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
    guard try await CurrentCatalog.isThere(in: self) else { return nil }
    for path in try await ScreenFolder.firsts(in: self)
    where folders.contains(FileSystem.parent(of: path)) {
      guard let parts = try await ScreenFolder.parts(of: path, in: self)?.parts,
        try await !sizes(of: parts).contains(nil)
      else { return nil }
    }
    // Of most changes it is the documents alone.
    let documents = [CurrentCatalog.path, CatalogScreen.folder]
    let isOfFiles = folders.contains { folder in !documents.contains { folder.begins(with: $0) } }
    guard isOfFiles else { return new }
    var texts = CatalogTexts(CurrentCatalog.path, in: self)
    while let text = try await texts.next() {
      // Most lines name no file in them, and are not parsed.
      guard Self.names(aFileIn: folders, text) else { continue }
      guard let files = CatalogLine(text)?.files(texts.formats) else { return nil }
      let known = files.filter { folders.contains(FileSystem.parent(of: $0.path)) }
      guard try await sizes(of: known.map(\.path)) == known.map(\.bytes) else { return nil }
    }
    let tables = texts.tables.flatMap(\.files)
      .filter { folders.contains(FileSystem.parent(of: $0.path)) }
    guard try await sizes(of: tables.map(\.path)) == tables.map(\.bytes) else { return nil }
    return new
  }

  /// Whether the files of a line are in one of some folders, such as `variants/3f/9c`: these are the beginning of its source.
  private static func names(aFileIn folders: Set<String>, _ text: [UInt8]) -> Bool {
    let start = Array("\"source\":\"".utf8)
    var rest = text[...]
    while let quote = rest.firstIndex(of: start[0]) {
      rest = rest[quote...]
      if rest.starts(with: start) {
        let path = FileName.path(
          name: String(decoding: rest.dropFirst(start.count).prefix(4), as: UTF8.self))
        if folders.contains(FileSystem.parent(of: path)) { return true }
      }
      rest = rest.dropFirst()
    }
    return false
  }
}
