internal import TesseraJSON
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
      omitted.add(.imageless, line: line, id: id)
      return []
    }
    guard isPublished else {
      omitted.add(.unpublished, line: line, id: id)
      return []
    }
    let fields = fields
    // An image that has two places is hidden by either.
    var hidden: Set<Identifier> = []
    for (urls, trail) in found.joined()
    where try Publication.isPublished(fields.published(trail), line: line) == false {
      omitted.add(.unpublished, line: line)
      for url in urls { hidden.insert(url) }
    }
    var indices: [Identifier: Int] = [:]
    var entries: [ManifestEntry] = []
    for (urls, trail) in found.joined() {
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
    return entries
  }

  /// The URLs at a place, with the way to each text that has any.
  private func urls(at place: String) -> [(urls: [String], trail: Trail)] {
    texts(.url, place).compactMap { found in
      let urls = mapping.urls(in: found.text, of: place)
      return urls.isEmpty ? nil : (urls, found.trail)
    }
  }

  /// Nil without one: the column may be missing altogether; then the URL is the id.
  private var id: String? {
    mapping.places(of: .id).lazy.flatMap { texts(.id, $0) }
      .first { !$0.text.trimmed.isEmpty }?.text.trimmed
  }

  /// Whether the record may be shown, as far as it says so of all its images.
  private func isPublished(_ publication: inout Publication) throws(ManifestProblem) -> Bool {
    guard mapping.joinsRows else { return true }
    let ways = ways
    let words = mapping.places(of: .published).flatMap { texts(.published, $0) }
      .filter { $0.trail.element(sharedWith: ways) == Trail() }
    return try publication.isPublished(id, words.map(\.text), line: line)
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

  /// The names on the ways to URLs.
  private var ways: [[String]] { mapping.places(of: .url).map { paths[$0]?.names ?? [] } }

  private var fields: Fields {
    let ways = ways
    var fields = Fields()
    for member in ColumnMapping.Member.allCases where member != .url {
      fields.groups[member] = mapping.places(of: member).map { place in
        FieldGroup(texts(member, place), of: member, ways)
      }
    }
    return fields
  }
}

/// What the members of a record say beside its URLs.
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
  /// What is said outside of all elements that have URLs is at the empty trail.
  private var byElement: [Trail: Said] = [:]

  /// - Parameter ways: to URLs. What is said in the element of one URL belongs to no other.
  init(_ found: [MemberPath.Found], of member: ColumnMapping.Member, _ ways: [[String]]) {
    for text in found {
      byElement[text.trail.element(sharedWith: ways), default: Said()].add(text.text, of: member)
    }
  }

  func said(_ trail: Trail) -> Said? { saidOfElement(trail) ?? byElement[Trail()] }

  func saidOfElement(_ trail: Trail) -> Said? {
    trail.elements.lazy.compactMap { byElement[$0] }.first
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

/// JSON Lines of another program's, or items of feeds, in which a mapping says where an image is.
struct MappedJSONDecoder: RecordDecoding {
  func isCutOff(_ text: String) -> Bool { JSONLinesDecoder.isCutOff(text) }

  var joinsRows: Bool { mapping.joinsRows }

  let mapping: ColumnMapping
  private let paths: [String: MemberPath]
  private let used: Set<String>
  private var publication = Publication(ifUnsaid: true)

  init(_ mapping: ColumnMapping, isOfXML: Bool = false) {
    self.mapping = mapping
    let places = ColumnMapping.Member.allCases.flatMap(mapping.places)
    paths = Dictionary(
      places.compactMap { place in MemberPath(place, isOfXML: isOfXML).map { (place, $0) } }
    ) { first, _ in first }
    used = Set(paths.values.map(\.first) + places)
  }

  mutating func entries(
    from text: String, line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    let (members, extra): ([JSONValue.Member], String?)
    do throws(ManifestProblem) {
      (members, extra) = try JSONLinesDecoder.members(of: text, line: line)
    } catch {
      loseRecord()
      throw error
    }
    return try entries(of: members, extra: extra, line: line, &omitted)
  }

  mutating func loseRecord() { publication.loseRecord() }

  /// - Parameter members: of one object.
  mutating func entries(
    of members: [JSONValue.Member], extra: String?, line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    let object = JSONValue.object(members)
    let fields = MappedFields(mapping: mapping, line: line, paths: paths) { [paths] member, place in
      paths[place]?.found(in: object, withFlags: member == .published) ?? []
    }
    let others = OtherMembers(list: members.filter { $0.name != "extra" }, mapped: used)
    return try fields.entries(others: others, &publication, &omitted).map { entry in
      var entry = entry
      entry.extra = extra
      return entry
    }
  }
}

/// Whether a list says that the product of a row is published, so that no image of a draft becomes public.
///
/// Shopify says it in the first row of a product, and the rows of its other images follow.
struct Publication: Sendable {
  /// What shop systems write, in lower case.
  private static let published: Set = [
    "true", "yes", "y", "1", "on", "active", "published", "publish", "enabled", "visible", "live",
  ]
  private static let unpublished: Set = [
    "false", "no", "n", "0", "-1", "2", "off", "inactive", "unpublished", "draft", "archived",
    "unlisted", "private", "pending", "scheduled", "future", "disabled", "hidden", "trash",
  ]

  /// Whether a record that says nothing is published. Not so a row of a table: it may be a further row of a product whose first one,
  /// which said "draft", is not in the list. A record of JSON or XML is whole.
  let ifUnsaid: Bool

  private var last: (id: String?, isPublished: Bool)?

  init(ifUnsaid: Bool) { self.ifUnsaid = ifUnsaid }

  /// To be called for a record that can't be read: it may be the one that says it.
  mutating func loseRecord() { last = (nil, false) }

  /// - Parameters:
  ///   - id: of the record; nil if it has none.
  ///   - words: those of the record, all of which have to say that it is published. Without any, it is as the record before it, if
  ///     that has the same id or this one has none.
  /// - Throws: for a word that says neither.
  mutating func isPublished(
    _ id: String?, _ words: [String], line: Int
  ) throws(ManifestProblem) -> Bool {
    let isPublished: Bool?
    do throws(ManifestProblem) {
      isPublished = try Self.isPublished(words, line: line)
    } catch {
      last = (id, false)
      throw error
    }
    let carried = id == nil || Identifier(last?.id) == Identifier(id) ? last?.isPublished : nil
    let result = isPublished ?? carried ?? ifUnsaid
    last = (id, result)
    return result
  }

  /// What words say by themselves; nil for none.
  ///
  /// - Throws: for a word that says neither.
  static func isPublished(_ words: [String], line: Int) throws(ManifestProblem) -> Bool? {
    var isPublished: Bool?
    for word in words.map({ $0.trimmed.lowercased() }) where !word.isEmpty {
      if unpublished.contains(word) {
        isPublished = false
      } else if published.contains(word) {
        isPublished = isPublished ?? true
      } else {
        throw ManifestProblem(
          line: line,
          message:
            "\"\(word.prefix(40))\" does not say whether it is published; expected a word such as true, active, false or draft"
        )
      }
    }
    return isPublished
  }
}
