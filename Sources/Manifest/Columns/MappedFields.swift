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
    let groups = zip(mapping.places(of: .url), found).filter { !$1.isEmpty }
      .map { (fields: fields(beside: $0), found: $1) }
    // An image that has two places is hidden by either.
    var hidden: Set<Identifier> = []
    for (fields, found) in groups {
      for (urls, trail) in found
      where try Publication.isPublished(fields.published(trail), line: line) == false {
        omitted.unpublished += 1
        for url in urls { hidden.insert(url) }
      }
    }
    var indices: [Identifier: Int] = [:]
    var entries: [ManifestEntry] = []
    for (fields, found) in groups {
      for (urls, trail) in found {
        let model = try entry(fields, trail, others)
        for url in urls where !hidden.contains(url) {
          if let index = indices[url] {
            entries[index].complete(by: model)
            continue
          }
          indices[url] = entries.count
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
    let id = fields.first(.id, trail)
    var entry = ManifestEntry(line: line, id: id, url: "")
    entry.sharesID = id != nil
    entry.alt = fields.first(.alt, trail)
    entry.slots = fields.words(.slots, trail)
    entry.focus = try ManifestEntry.focusPoint(fields.words(.focus, trail) ?? [], line: line)
    entry.views = ManifestEntry.views(fields.first(.views, trail).flatMap { Double($0) })
    entry.others = others
    return entry
  }

  /// Those of the places that have URLs.
  private var names: [[String]] { mapping.places(of: .url).map { paths[$0]?.names ?? [] } }

  private func fields(beside url: String) -> Fields {
    var fields = Fields()
    for member in ColumnMapping.Member.allCases where member != .url {
      fields.groups[member] = mapping.places(of: member).map { place in
        FieldGroup(
          texts(member, place), of: member, beside: paths[url]?.names ?? [], others: names)
      }
    }
    return fields
  }
}

/// What the members beside the URLs of one place say.
private struct Fields {
  var groups: [ColumnMapping.Member: [FieldGroup]] = [:]

  private func said(_ member: ColumnMapping.Member, _ trail: Trail) -> [Said] {
    (groups[member] ?? []).compactMap { $0.said(trail) }
  }

  func first(_ member: ColumnMapping.Member, _ trail: Trail) -> String? {
    said(member, trail).lazy.compactMap(\.first).first
  }

  func words(_ member: ColumnMapping.Member, _ trail: Trail) -> [String]? {
    let lists = said(member, trail).map(\.words).filter { !$0.isEmpty }
    // One list is shared by all images.
    return lists.count > 1 ? Array(lists.joined()) : lists.first
  }

  /// What is said of one image, and not of all of the record.
  func published(_ trail: Trail) -> [String] {
    (groups[.published] ?? []).flatMap { $0.saidOfElement(trail)?.texts ?? [] }
  }
}

/// What is said of one image, or of several: made once for all of them, because a record may have many words and many images.
private struct Said {
  private(set) var texts: [String] = []
  /// The first that is not blank. Of descriptions as it is written.
  private(set) var first: String?
  /// Of lists.
  private(set) var words: [String] = []

  mutating func add(_ text: String, of member: ColumnMapping.Member) {
    if member == .published { texts.append(text) }
    if [.slots, .focus].contains(member) {
      words += text.split(separator: " ").map(String.init)
    } else if first == nil {
      let trimmed = text.trimmed
      if !trimmed.isEmpty { first = member == .alt ? text : trimmed }
    }
  }
}

/// The texts at one place, by the elements of arrays that they have in common with URLs. They are looked up, so that an array of ten
/// thousand images takes ten thousand steps.
private struct FieldGroup {
  private var shared = 0
  private var byElement: [Trail: Said] = [:]
  private var ofAll = Said()

  /// - Parameters:
  ///   - names: those of the URLs' place.
  ///   - others: those of all places of URLs. What is said in the element of another URL belongs to that one.
  init(
    _ found: [MemberPath.Found], of member: ColumnMapping.Member, beside names: [String],
    others: [[String]]
  ) {
    if found.isOfElements(beside: names) {
      shared = found[0].trail.sharedNames(with: names)
      for text in found {
        byElement[text.trail.prefix(names: shared), default: Said()].add(text.text, of: member)
      }
    } else if !others.contains(where: { found.isOfElements(beside: $0) }) {
      for text in found { ofAll.add(text.text, of: member) }
    }
  }

  func said(_ trail: Trail) -> Said? { shared == 0 ? ofAll : saidOfElement(trail) }

  func saidOfElement(_ trail: Trail) -> Said? {
    shared == 0 ? nil : byElement[trail.prefix(names: shared)]
  }
}

extension ManifestEntry {
  /// Takes what another place says of the same image.
  fileprivate mutating func complete(by other: ManifestEntry) {
    alt = alt ?? other.alt
    slots = slots ?? other.slots
    focus = focus ?? other.focus
  }
}

extension [MemberPath.Found] {
  /// Whether the way to them leads through an array that the way to a URL leads through, too.
  fileprivate func isOfElements(beside names: [String]) -> Bool {
    guard let trail = first?.trail else { return false }
    return trail.prefix(names: trail.sharedNames(with: names)).hasIndex
  }
}
