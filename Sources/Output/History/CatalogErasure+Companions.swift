internal import TesseraCatalog
internal import TesseraJSON
package import TesseraSystem
internal import TesseraText

// What a catalog has beside it: documents of screens with their parts, and changes.
extension CatalogErasure {
  /// The first document of a screen without the images, of a catalog. Writes parts without them.
  ///
  /// - Parameters:
  ///   - first: its path beside the current catalog.
  ///   - path: where it is.
  mutating func rewritten(
    screen first: String, at path: String, _ digest: String
  ) async throws(SystemError) -> [UInt8] {
    var (head, lines, _) = try await rest(of: path)
    let screen = ScreenFolder.screen(ofFirst: first) ?? ""
    let parts = head["parts"]?.arrayValue?.compactMap(\.stringValue) ?? []
    var left: [String] = []
    for part in parts {
      // That of a document that was written when its part was already erased.
      guard try await output.size(of: part) != nil else { continue }
      let (head, lines, found) = try await rest(of: part)
      if !found { left.append(part) }
      guard found else { continue }
      erased.documents.insert(part)
      guard !lines.isEmpty else { continue }
      let bytes = ScreenFolder.document(Self.headLine(head, without: []).line, lines)
      left.append(ScreenFolder.part(of: screen, bytes))
      try await output.write(ScreenFolder.part(of: screen, bytes), bytes)
    }
    if case .object(let members) = head {
      head = .object(
        members.compactMap { member in
          switch member.name {
          case "catalog": JSONValue.Member("catalog", .string(digest))
          case "parts" where left.isEmpty: nil
          case "parts": JSONValue.Member("parts", .array(left.map { .string($0) }))
          default: member
          }
        })
    }
    return ScreenFolder.document(Self.headLine(head, without: []).line, lines)
  }

  /// A document of a screen without the images, and whether it had any of them.
  private mutating func rest(
    of path: String
  ) async throws(SystemError) -> (head: JSONValue, lines: [[UInt8]], found: Bool) {
    var texts = CatalogTexts(path, in: output)
    var (lines, found) = ([[UInt8]](), false)
    while let text = try await texts.next() {
      if try take(text, of: texts) { found = true } else { lines.append(text) }
    }
    return (try texts.head, lines, found)
  }

  /// Deletes parts that no document names and that have one of the images: those of catalogs that are not kept any more, and
  /// those of killed runs.
  package mutating func deleteParts() async throws(SystemError) {
    let kept = try await CatalogHistory.kept(in: output)?.catalogs ?? []
    var named: Set<String> = []
    for path in try await ScreenFolder.firsts(in: output) + kept.flatMap(\.companions.values)
    where try await output.size(of: path) != nil {
      named.formUnion(try await ScreenFolder.parts(of: path, in: output)?.parts ?? [])
    }
    for folder in try await ScreenFolder.all(in: output) {
      for entry in try await output.listIfThere(folder) {
        let path = "\(folder)/\(entry.name)"
        guard CatalogScreen.isPart(path), !named.contains(path), try await rest(of: path).found
        else { continue }
        erased.documents.insert(path)
        try await output.delete(path)
      }
    }
  }

  /// Deletes all changes, any of which may name the images; the next run makes them again.
  package mutating func deleteChanges() async throws(SystemError) {
    for path in try await PublishedChanges.all(in: output) {
      try await output.delete(path)
      erased.documents.insert(path)
    }
  }
}
