/// Makes entries of a record whose fields a mapping names.
struct MappedFields {
  let mapping: ColumnMapping
  let line: Int
  /// The texts at a place: one for a field of a table; none, one or several for a path.
  let texts: (_ place: String) -> [String]

  /// An entry for each image; none for a record without a URL.
  func entries(others: OtherMembers) throws(ManifestProblem) -> [ManifestEntry] {
    let urls = mapping.places(of: .url).flatMap(texts).flatMap(mapping.urls)
    guard !urls.isEmpty else { return [] }
    // The column may be missing altogether; then the URL is the id.
    let id = first(.id)?.trimmed
    var model = ManifestEntry(line: line, id: id, url: "")
    model.sharesID = id != nil
    model.alt = first(.alt)
    model.slots = words(.slots)
    model.focus = try ManifestEntry.focusPoint(words(.focus) ?? [], line: line)
    model.views = ManifestEntry.views(first(.views).flatMap { Double($0.trimmed) })
    model.others = others
    var seen: Set<String> = []
    return urls.filter { seen.insert($0).inserted }.map { url in
      var entry = model
      entry.url = url
      return entry
    }
  }

  private func first(_ member: ColumnMapping.Member) -> String? {
    mapping.places(of: member).flatMap(texts).first { !$0.trimmed.isEmpty }
  }

  private func words(_ member: ColumnMapping.Member) -> [String]? {
    let words = mapping.places(of: member).flatMap(texts).flatMap { $0.split(separator: " ") }
    return words.isEmpty ? nil : words.map(String.init)
  }
}
