import TesseraCatalog
import TesseraText
import Testing

@testable import TesseraManifest

/// The members of JSON lines, and what the reader reports of them.
@Suite struct JSONLinesTests {
  private static func records(
    _ lines: [String], extra: ExtraMembers? = .named([])
  ) -> [ManifestRecord] {
    var reader = ManifestReader(extra: extra)
    return reader.read(Array(lines.joined(separator: "\n").utf8)) + reader.finish()
  }

  private static func messages(
    _ lines: [String], extra: ExtraMembers? = .named([])
  ) -> [String] {
    records(lines, extra: extra).map { record in
      if case .problem(let problem) = record { "\(problem.line): \(problem.message)" } else { "-" }
    }
  }

  @Test func everyMemberIsRead() {
    let line =
      #"{"alt":" A ","extra":{"a":[1.0,null]},"focus":[0,1],"slots":["b","a"],"#
      + #""url":"https://a/1","id":"p"}"#
    var entry = ManifestEntry(
      line: 1, id: "p", url: "https://a/1", slots: ["b", "a"], focus: .init(x: 0, y: 1),
      alt: " A ", extra: #"{"a":[1.0,null]}"#)
    entry.others.areOfJSON = true
    #expect(Self.records([line]) == [.entry(entry)])
  }

  private static let slots = "\"slots\" must be a list of slot names, such as [\"card\"]"
  private static let focus = "\"focus\" must be two numbers from 0 to 1, such as [0.5, 0.3]"

  @Test(arguments: [
    (#""id":true"#, "\"id\" must be a string, found true or false"),
    (#""id":null"#, "\"id\" must be a string, found null"),
    (#""url":["a"]"#, "\"url\" must be a string, found an array"),
    (#""url":{}"#, "\"url\" must be a string, found an object"),
    (#""alt":true"#, "\"alt\" must be a string, found true or false"),
    (#""slots":"card""#, slots), (#""slots":[]"#, slots), (#""slots":[1]"#, slots),
    (#""slots":["a",null]"#, slots), (#""slots":null"#, slots), (#""focus":[0.5]"#, focus),
    (#""focus":[0.5,0.3,0.1]"#, focus), (#""focus":[0.5,"x",0.3]"#, focus),
    (#""focus":["x",0.3]"#, focus), (#""focus":"0.5 0.3""#, focus), (#""focus":null"#, focus),
    (#""focus":{"x":0.5,"y":0.3}"#, focus), (#""focus":[0.5,-0.1]"#, theFocus),
    (#""focus":[1.1,0.5]"#, theFocus),
    (#""alt":"a" "id""#, "not valid JSON at column 32: expected \",\" or \"}\", found \"\"\""),
  ])
  func aWrongMemberIsNamed(_ member: String, _ message: String) {
    let url = member.contains("\"url\"") ? "" : #""url":"https://a/1","#
    let line = "{\(url)\(member)}"
    let found = Self.messages([#"{"url":"https://a/0"}"#, line, #"{"url":"https://a/2"}"#])
    #expect(found == ["-", "2: \(message)", "-"])
  }

  /// As databases write rows.
  @Test func idsMayBeNumbersAndDescriptionsMissing() {
    let found = ListOutline.lines(
      """
      {"id":7,"url":"https://a/1","alt":null}
      {"id":12345678901234567890,"url":"https://a/2","alt":"A"}
      """)
    #expect(found == ["1 7 https://a/1", "2 12345678901234567890 https://a/2 A"])
  }

  /// A hint costs no image.
  @Test(
    arguments: [
      ("1.5", 1.5), ("0", 0), (#""12""#, 12), (#"" 12 ""#, 12), ("null", nil), (#""1,200""#, nil),
      ("-1", nil), ("2e15", nil), ("[1]", nil), (#""nan""#, nil),
    ] as [(String, Double?)])
  func viewsAreANumberOrNothing(_ value: String, _ views: Double?) throws {
    let record = Self.records([#"{"url":"https://a/1","views":\#(value)}"#]).first
    guard case .entry(let entry)? = record else { throw CancellationError() }
    #expect(entry.views == views)
  }

  /// Known, and private unless it is named.
  @Test func viewsArePublicOnlyIfNamed() throws {
    func entry(_ extra: ExtraMembers) throws -> ManifestEntry {
      let records = Self.records([#"{"url":"https://a/1","views":1.5}"#], extra: extra)
      guard case .entry(let entry) = try #require(records.first) else { throw CancellationError() }
      return entry
    }
    #expect(try entry(.named([])).views == 1.5 && entry(.named([])).extra == nil)
    #expect(try entry(.named(["views"])).extra == #"{"views":1.5}"#)
    // They are not part of what an item is.
    #expect(
      try entry(.named([])).content
        == ManifestEntry(line: 1, id: nil, url: "https://a/1").content.replacing(
          "[\"\"", with: "[\"https://a/1\""))
    #expect(
      Self.messages([#"{"url":"https://a/1","vews":1}"#])[0].contains("did you mean \"views\"?"))
    var reader = ManifestReader(extra: .named([]))
    _ = reader.read(Array(#"{"url":"https://a/1","views":1}"#.utf8)) + reader.finish()
    #expect(reader.leftOut.counts.isEmpty)
  }

  private static let theFocus = "the focus must be two numbers from 0 to 1, such as [0.5, 0.3]"

  @Test func aLineIsAnObjectWithAURL() {
    let expected = "expected an object such as {\"id\": \"p1\", \"url\": \"…\"}, found "
    #expect(
      Self.messages([#"{"id":"a"}"#, "[1]", "7", "\"a\"", "null", "https://a/1", "#"]) == [
        "1: the member \"url\" is missing", "2: \(expected)an array", "3: \(expected)a number",
        "4: \(expected)a string", "5: \(expected)null",
        "6: not valid JSON at column 1: expected a value, found \"h\"",
        "7: not valid JSON at column 1: expected a value, found \"#\"",
      ])
  }

  /// A name like a known one is a typing mistake, unless the pipeline names it.
  @Test(arguments: [
    ("ids", "id"), ("ulr", "url"), ("slot", "slots"), ("focs", "focus"), ("atl", "alt"),
    ("extras", "extra"), ("URL", "url"),
  ])
  func aMistypedNameIsAMistake(_ name: String, _ known: String) {
    let line = "{\"url\":\"https://a/1\",\"\(name)\":1}"
    #expect(
      Self.messages([line]) == [
        "1: unknown member \"\(name)\"; did you mean \"\(known)\"? If it is your own data, put it "
          + "into "
          + "\"extra\", or name it in the pipeline file (extra: [\(name)])"
      ])
    #expect(Self.messages([line], extra: .all) == ["-"])
    #expect(Self.messages([line], extra: .named([name])) == ["-"])
    // In a table, a column of another name is private.
    #expect(
      Self.messages(["url,\(name)", "https://a/1,1"]) == (name == "URL" ? [] : ["-"]))
  }

  @Test func namedMembersAreAddedToExtra() {
    func extras(_ lines: [String], _ extra: ExtraMembers?) -> [String?] {
      Self.records(lines, extra: extra).map { record in
        switch record {
        case .entry(let entry): entry.extra
        case .problem(let problem): problem.message
        }
      }
    }
    let url = #""url":"https://a/1""#
    let lines = [
      "{\(url),\"b\":1,\"a\":\"x\"}", "{\(url),\"a\":2,\"extra\":{\"a\":1, \"c\":[ ]}}",
      "{\(url),\"a\":2,\"b\":{\"d\":1.50},\"extra\":{}}", "{\(url),\"c\":2,\"extra\":[1]}",
      "{\(url),\"a\":2,\"extra\":[1]}", "{\(url),\"a\":2,\"extra\":null}",
    ]
    #expect(
      extras(lines, .named(["a", "b"])) == [
        #"{"b":1,"a":"x"}"#, #"{"a":1,"c":[]}"#, #"{"a":2,"b":{"d":1.50}}"#, "[1]",
        "\"extra\" must be an object, because the pipeline file adds \"a\" to it",
        "\"extra\" must be an object, because the pipeline file adds \"a\" to it",
      ])
    // For a manifest that is only split, all stays with the entry.
    #expect(extras(lines, nil) == [nil, #"{"a":1,"c":[]}"#, "{}", "[1]", "[1]", "null"])
  }

  // MARK: What the reader counts

  @Test func secretsAreCounted() {
    var reader = ManifestReader()
    #expect(reader.secrets == 0)
    _ = reader.read(
      Array(
        "https://a/1?token=x\nhttps://a/2\nhttps://u:p@a/3\nhttps://a b/4?token=x\n".utf8))
    #expect(reader.secrets == 2)
  }

  @Test func leftOutNamesAreCounted() {
    var reader = ManifestReader()
    let columns = (100..<210).map { "c\($0)" }
    let row = "https://a/1," + columns.map { _ in "x" }.joined(separator: ",") + "\n"
    _ = reader.read(Array("url,\(columns.joined(separator: ","))\n\(row)\(row)".utf8))
    #expect(reader.leftOut.counts.keys.sorted() == Array(columns.prefix(100)).sorted())
    #expect(reader.leftOut.counts == Dictionary(columns.prefix(100).map { ($0, 2) }) { $1 })
  }

  /// Only the first three bytes of a file are a mark; elsewhere they are a part of the text.
  @Test func aByteOrderMarkIsAtTheStart() {
    let mark = "\u{FEFF}"
    let found = Self.records(["\(mark)https://a/1", "\(mark)https://a/2", ""])
    guard case .entry(let first)? = found.first, case .problem(let second)? = found.last else {
      Issue.record("\(found)")
      return
    }
    #expect(first.url == "https://a/1" && second.line == 2 && found.count == 2)
    #expect(Self.messages(["", "\(mark)https://a/2"]).count == 1)
    #expect(Self.messages(["", "\(mark)https://a/2"]) != ["-"])
  }

  /// No reference is none to the base.
  @Test func anEmptyURLIsNotResolved() {
    var reader = ManifestReader(resolve: { "https://a/\($0)" })
    let found = reader.read(Array(#"{"id":"p","url":""}"#.utf8) + [0x0A])
    #expect(found == [.problem(ManifestProblem(line: 1, message: "the URL is empty"))])
  }

  @Test func blankLinesAreNone() {
    #expect(Self.records(["", " ", "\t", " \t ", "https://a/1", "\t", ""]).count == 1)
  }

  @Test func idsFollowFromTheURLThatIsMeant() {
    var reader = ManifestReader(shown: ShownURLs(ignoring: ["v"]), resolve: { "https://a/\($0)" })
    let found = reader.read(Array("1.jpg?v=1\n2 .jpg\n".utf8))
    var entry = ManifestEntry(line: 1, id: nil, url: "https://a/1.jpg?v=1")
    entry.id = "https://a/1.jpg"
    // Encoded before it is resolved, and counted.
    var second = ManifestEntry(line: 2, id: nil, url: "https://a/2%20.jpg")
    second.id = second.url
    #expect(found == [.entry(entry), .entry(second)])
    #expect(reader.encoded == 1)
  }

  // MARK: Shards

  @Test func aLineIsReportedByOneShard() throws {
    let shards = try (0..<3).map { try #require(Shard($0, of: 3)) }
    for line in 1...10 { #expect(shards.filter { $0.owns(line: line) }.map(\.index) == [line % 3]) }
    #expect(Shard(99_999, of: 100_000)?.description == "99999/100000")
    #expect(Shard(0, of: 100_001) == nil)
    #expect(Shard(-1, of: 2) == nil && Shard(2, of: 2) == nil && Shard(0, of: 0) == nil)
    #expect(Shard("1/3/") == nil && Shard("1/3 ") == nil && Shard("1") == nil)
  }
}
