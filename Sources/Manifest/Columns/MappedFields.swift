internal import TesseraText

/// Makes entries of a record whose fields a mapping names.
struct MappedFields {
  let mapping: ColumnMapping
  let line: Int
  /// The texts of a member at a place: one for a field of a table; none, one or several for a path.
  let texts: (_ member: ColumnMapping.Member, _ place: String) -> [String]

  /// An entry for each image; none for a record without a URL, and for one that is not published.
  func entries(
    others: OtherMembers, _ publication: inout Publication, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    let urls = all(.url).flatMap(mapping.urls)
    // The column may be missing altogether; then the URL is the id.
    let id = first(.id)?.trimmed
    let isPublished =
      mapping.joinsRows ? try publication.isPublished(id, all(.published), line: line) : true
    guard !urls.isEmpty else {
      omitted.imageless += 1
      return []
    }
    guard isPublished else {
      omitted.unpublished += 1
      return []
    }
    var model = ManifestEntry(line: line, id: id, url: "")
    model.sharesID = id != nil
    model.alt = first(.alt)
    model.slots = words(.slots)
    model.focus = try ManifestEntry.focusPoint(words(.focus) ?? [], line: line)
    model.views = ManifestEntry.views(first(.views).flatMap { Double($0.trimmed) })
    model.others = others
    var seen: Set<Identifier> = []
    return urls.filter { seen.insert($0) }.map { url in
      var entry = model
      entry.url = url
      return entry
    }
  }

  private func all(_ member: ColumnMapping.Member) -> [String] {
    mapping.places(of: member).flatMap { texts(member, $0) }
  }

  private func first(_ member: ColumnMapping.Member) -> String? {
    all(member).first { !$0.trimmed.isEmpty }
  }

  private func words(_ member: ColumnMapping.Member) -> [String]? {
    let words = all(member).flatMap { $0.split(separator: " ") }
    return words.isEmpty ? nil : words.map(String.init)
  }
}
