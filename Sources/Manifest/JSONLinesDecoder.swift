internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraText

/// JSON Lines: one object per line, `{"id": "p1", "url": "…", "slots": ["card"], "focus": [0.5,
/// 0.3], "alt": "…", "views": 1200, "extra": {…}}`. Only `url` is required; without an id, the id is the URL.
/// Members with other names are private unless the pipeline file names them.
struct JSONLinesDecoder: RecordDecoding {
  func isCutOff(_ text: String) -> Bool { Self.isCutOff(text) }

  /// Whether a line begins as an object does, and does not end as one. What is wrong within it is a
  /// problem of the line alone.
  static func isCutOff(_ text: String) -> Bool {
    let text = text.trimmed
    return text.first == "{" && text.last != "}"
  }

  func entries(
    from text: String, line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    [try entry(from: text, line: line)]
  }

  private func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry {
    var entry = ManifestEntry(line: line, id: nil, url: "")
    entry.others.areOfJSON = true
    var hasURL = false
    let members: [JSONValue.Member]
    (members, entry.extra) = try Self.members(of: text, line: line)
    for member in members {
      do throws(Mistake) {
        switch member.name {
        // What a database does not know is not there.
        case "alt" where member.value == .null: break
        case "id":
          entry.id = try Self.id(member)
          entry.hasNoID = false
        case "url":
          entry.url = try Self.string(member)
          hasURL = true
        case "slots": entry.slots = try Self.slots(member.value)
        case "focus": entry.focus = try Self.focus(member.value)
        case "alt": entry.alt = try Self.string(member)
        case "views":
          entry.views = ManifestEntry.views(
            member.value.doubleValue ?? member.value.stringValue.flatMap { Double($0.trimmed) })
          entry.others.list.append(member)
        default: entry.others.list.append(member)
        }
      } catch {
        throw ManifestProblem(line: line, message: error.message)
      }
    }
    guard hasURL else {
      throw ManifestProblem(
        line: line, message: "the member \"url\" is missing" + Self.hint(forMembers: members))
    }
    return entry
  }

  /// What to do about a line without the member `url`: a clause; empty if nothing is known.
  private static func hint(forMembers members: [JSONValue.Member]) -> String {
    let similar = Nearest.hint(for: "url", among: members.map(\.name))
    if !similar.isEmpty { return similar }
    let object = JSONValue.object(members)
    let guess = MemberGuess.mapping([object])
    // A list of objects in an object with an id are images of one item; in one without, they are items.
    if let name = object.listedObjects, guess?.columns.columns[.id] == nil {
      return
        "; if the images are in \"\(name)\", write one object per line: jq -c '.\(name)[]' OLD.json > NEW.jsonl"
    }
    guard var columns = guess?.columns else { return "" }
    if guess?.path != nil { columns.prefix = ColumnMapping.examplePrefix }
    return "; say in the pipeline file where it is, such as columns: \(columns.yaml)"
  }

  /// A mistake in a member, before the line is known.
  private struct Mistake: Error {
    var message: String

    init(_ message: String) { self.message = message }
  }

  /// The members of a line that is an object; that of `extra` as it is spelled.
  static func members(
    of text: String, line: Int
  ) throws(ManifestProblem) -> ([JSONValue.Member], extra: String?) {
    let (value, extra): (JSONValue, String?)
    do throws(JSONError) {
      (value, extra) = try JSONParser.parse(Array(text.utf8), keepingText: "extra")
    } catch {
      throw ManifestProblem(
        line: line, message: "not valid JSON at column \(error.offset + 1): \(error.message)")
    }
    guard case .object(let members) = value else {
      throw ManifestProblem(
        line: line,
        message: "expected an object such as {\"id\": \"p1\", \"url\": \"…\"}, found \(value.kind)")
    }
    return (members, extra)
  }

  private static func string(_ member: JSONValue.Member) throws(Mistake) -> String {
    guard let text = member.value.stringValue else {
      throw Mistake("\"\(member.name)\" must be a string, found \(member.value.kind)")
    }
    return text
  }

  /// Databases number their rows.
  private static func id(_ member: JSONValue.Member) throws(Mistake) -> String {
    if let id = ManifestEntry.id(member.value) { return id }
    return try string(member)
  }

  private static func slots(_ value: JSONValue) throws(Mistake) -> [String] {
    let names = value.arrayValue?.map(\.stringValue)
    guard let names, !names.isEmpty, !names.contains(nil) else {
      throw Mistake("\"slots\" must be a list of slot names, such as [\"card\"]")
    }
    return names.compactMap(\.self)
  }

  private static func focus(_ value: JSONValue) throws(Mistake) -> CatalogFocus {
    let numbers = value.arrayValue?.compactMap(\.doubleValue)
    // Both counts: [0.5, "x", 0.3] has two numbers and three elements.
    guard let numbers, numbers.count == 2, value.arrayValue?.count == 2 else {
      throw Mistake("\"focus\" must be two numbers from 0 to 1, such as [0.5, 0.3]")
    }
    return .init(x: numbers[0], y: numbers[1])
  }
}

extension JSONValue {
  /// The member that has a list of objects, which are then what a list should have on its lines. Nil without one, and for a name
  /// that a program would have to quote.
  var listedObjects: String? {
    guard case .object(let members) = self else { return nil }
    return members.first { member in
      guard case .object? = member.value.arrayValue?.first else { return false }
      return member.name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
    }?.name
  }
}
