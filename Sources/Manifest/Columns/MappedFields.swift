internal import TesseraText

/// Makes entries of a record whose fields a mapping names.
///
/// What an element of an array says beside a URL is said of that image alone.
struct MappedFields {
  let mapping: ColumnMapping
  let line: Int
  /// The paths of places; none in a table.
  var paths: [String: MemberPath] = [:]
  /// The texts of a member at a place: one for a field of a table; none, one or several for a path.
  let texts: (_ member: ColumnMapping.Member, _ place: String) -> [MemberPath.Found]

  /// An entry for each image; none for a record without a URL, and for what is not published.
  func entries(
    others: OtherMembers, _ publication: inout Publication, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    let found = mapping.places(of: .url).map(urls)
    let isPublished = try isPublished(&publication)
    guard found.contains(where: { !$0.isEmpty }) else {
      omitted.imageless += 1
      return []
    }
    guard isPublished else {
      omitted.unpublished += 1
      return []
    }
    var seen: Set<Identifier> = []
    var entries: [ManifestEntry] = []
    for (place, found) in zip(mapping.places(of: .url), found) where !found.isEmpty {
      let fields = fields(beside: place)
      for (urls, trail) in found {
        guard try Publication.isPublished(fields.published(trail), line: line) ?? true else {
          omitted.unpublished += 1
          continue
        }
        let model = try entry(fields, trail, others)
        for url in urls where seen.insert(url) {
          entries.append(model)
          entries[entries.count - 1].url = url
        }
      }
    }
    return entries
  }

  /// The URLs at a place, with the way to each text that has any.
  private func urls(at place: String) -> [(urls: [String], trail: Trail)] {
    texts(.url, place).compactMap { found in
      let urls = mapping.urls(in: found.text, of: place)
      return urls.isEmpty ? nil : (urls, found.trail)
    }
  }

  /// Whether the record may be shown, as far as it says so of all its images.
  private func isPublished(_ publication: inout Publication) throws(ManifestProblem) -> Bool {
    guard mapping.joinsRows else { return true }
    // The column may be missing altogether; then the URL is the id.
    let id = mapping.places(of: .id).lazy.flatMap { texts(.id, $0) }
      .first { !$0.text.trimmed.isEmpty }?.text.trimmed
    let words = mapping.places(of: .published).map { texts(.published, $0) }
      .filter { found in !names.contains { found.isOfElements(beside: $0) } }
    return try publication.isPublished(id, words.joined().map(\.text), line: line)
  }

  private func entry(
    _ fields: Fields, _ trail: Trail, _ others: OtherMembers
  ) throws(ManifestProblem) -> ManifestEntry {
    let id = fields.first(.id, trail)?.trimmed
    var entry = ManifestEntry(line: line, id: id, url: "")
    entry.sharesID = id != nil
    entry.alt = fields.first(.alt, trail)
    entry.slots = fields.words(.slots, trail)
    entry.focus = try ManifestEntry.focusPoint(fields.words(.focus, trail) ?? [], line: line)
    entry.views = ManifestEntry.views(fields.first(.views, trail).flatMap { Double($0.trimmed) })
    entry.others = others
    return entry
  }

  /// Those of the places that have URLs.
  private var names: [[String]] { mapping.places(of: .url).map { paths[$0]?.names ?? [] } }

  private func fields(beside url: String) -> Fields {
    var fields = Fields()
    for member in ColumnMapping.Member.allCases where member != .url {
      fields.groups[member] = mapping.places(of: member).map { place in
        FieldGroup(texts(member, place), beside: paths[url]?.names ?? [], others: names)
      }
    }
    return fields
  }
}

/// What the members beside the URLs of one place say.
private struct Fields {
  var groups: [ColumnMapping.Member: [FieldGroup]] = [:]

  private func all(_ member: ColumnMapping.Member, _ trail: Trail) -> [String] {
    (groups[member] ?? []).flatMap { $0.texts(trail) }
  }

  func first(_ member: ColumnMapping.Member, _ trail: Trail) -> String? {
    all(member, trail).first { !$0.trimmed.isEmpty }
  }

  func words(_ member: ColumnMapping.Member, _ trail: Trail) -> [String]? {
    let words = all(member, trail).flatMap { $0.split(separator: " ") }
    return words.isEmpty ? nil : words.map(String.init)
  }

  /// What is said of one image, and not of all of the record.
  func published(_ trail: Trail) -> [String] {
    (groups[.published] ?? []).flatMap { $0.textsOfElement(trail) }
  }
}

/// The texts at one place, by the elements of arrays that they have in common with URLs. They are looked up, so that an array of ten
/// thousand images takes ten thousand steps.
private struct FieldGroup {
  private var shared = 0
  private var byElement: [Trail: [String]] = [:]
  private var ofAll: [String] = []

  /// - Parameters:
  ///   - names: those of the URLs' place.
  ///   - others: those of all places of URLs. What is said in the element of another URL belongs to that one.
  init(_ found: [MemberPath.Found], beside names: [String], others: [[String]]) {
    if found.isOfElements(beside: names) {
      shared = found[0].trail.sharedNames(with: names)
      for text in found { byElement[text.trail.prefix(names: shared), default: []] += [text.text] }
    } else if !others.contains(where: { found.isOfElements(beside: $0) }) {
      ofAll = found.map(\.text)
    }
  }

  func texts(_ trail: Trail) -> [String] { shared == 0 ? ofAll : textsOfElement(trail) }

  func textsOfElement(_ trail: Trail) -> [String] {
    shared == 0 ? [] : byElement[trail.prefix(names: shared)] ?? []
  }
}

extension [MemberPath.Found] {
  /// Whether the way to them leads through an array that the way to a URL leads through, too.
  fileprivate func isOfElements(beside names: [String]) -> Bool {
    guard let trail = first?.trail else { return false }
    return trail.prefix(names: trail.sharedNames(with: names)).hasIndex
  }
}
