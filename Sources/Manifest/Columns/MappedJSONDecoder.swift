internal import TesseraJSON

/// JSON Lines of another program's, or items of feeds, in which a mapping says where an image is.
struct MappedJSONDecoder: RecordDecoding {
  func isCutOff(_ text: String) -> Bool { JSONLinesDecoder.isCutOff(text) }

  var joinsRows: Bool { mapping.joinsRows }

  let mapping: ColumnMapping
  private let paths: [String: MemberPath]
  private let used: Set<String>
  private var publication = Publication()

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

  mutating func loseRecord() { publication.loseRow() }

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
