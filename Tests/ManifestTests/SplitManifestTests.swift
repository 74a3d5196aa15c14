import TesseraCatalog
import TesseraJSON
import Testing

@testable import TesseraManifest

/// The lines of a part of a manifest, as other programs may read and write them.
@Suite struct SplitManifestTests {
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func entry() -> ManifestEntry {
    var entry = ManifestEntry(
      line: 12, id: "p1", url: "https://a/1", slots: ["card", "hero"],
      focus: .init(x: 0.123456, y: 1), alt: "A \"b\"", extra: #"{"n":1.50}"#)
    entry.others = OtherMembers(list: [.init("c", .string("7"))])
    return entry
  }

  @Test func aPartHasTheseLines() throws {
    var part = SplitManifest(try #require(Shard(3, of: 8)))
    #expect(
      Self.text(part.firstLine) == #"{"schema":"tessera-split/1","shard":3,"shards":8}"# + "\n")
    #expect(
      Self.text(part.line(.entry(Self.entry()))) == #"{"line":12,"id":"p1","url":"https://a/1","#
        + #""slots":["card","hero"],"focus":[0.123456,1.0],"alt":"A \"b\"","extra":{"n":1.50},"#
        + #""columns":{"c":"7"}}"# + "\n")
    var other = ManifestEntry(line: 13, id: nil, url: "https://a/2", slots: [])
    other.others = OtherMembers(list: [.init("d", .int(7))], areOfJSON: true)
    #expect(
      Self.text(part.line(.entry(other)))
        == #"{"line":13,"url":"https://a/2","slots":[],"members":{"d":7}}"# + "\n")
    let problem = ManifestProblem(line: 14, message: "the URL is empty")
    #expect(
      Self.text(part.line(.problem(problem))) == #"{"line":14,"problem":"the URL is empty"}"# + "\n"
    )
    #expect(
      Self.text(part.lastLine(manifestDigest: "ab")) == #"{"end":3,"manifest":"ab"}"# + "\n")
  }

  @Test func whatWasWrittenIsRead() throws {
    let shard = try #require(Shard(0, of: 2))
    var part = SplitManifest(shard)
    var json = Self.entry()
    json.others.areOfJSON = true
    let records: [ManifestRecord] = [
      .entry(Self.entry()), .entry(json),
      .entry(ManifestEntry(line: 15, id: nil, url: "https://a/2")),
      .problem(ManifestProblem(line: 16, message: "no")),
    ]
    let lines = records.map { Self.text(part.line($0)) }
    let end = Self.text(part.lastLine(manifestDigest: "ab"))
    var reader = try #require(SplitManifest(first: Self.text(part.firstLine)))
    #expect(reader.shard == shard)
    #expect(lines.map { reader.record($0) } == records)
    #expect(reader.manifestDigest == nil)
    #expect(reader.record(end) == nil)
    #expect(reader.manifestDigest == "ab")
    // One line more, or one less, is another part.
    _ = reader.record(lines[0])
    #expect(reader.manifestDigest == nil)
    var short = try #require(SplitManifest(first: Self.text(part.firstLine)))
    for line in lines.dropLast() + [end] { _ = short.record(line) }
    #expect(short.manifestDigest == nil)
  }

  @Test(arguments: [
    #"{"schema":"tessera-split/2","shard":3,"shards":8}"#,
    #"{"schema":"tessera-split/1","shard":8,"shards":8}"#,
    #"{"schema":"tessera-split/1","shard":-1,"shards":8}"#,
    #"{"schema":"tessera-split/1","shard":3}"#, #"{"schema":"tessera-split/1","shards":8}"#,
    #"{"schema":"tessera-split/1","shard":3,"shards":8"#,
    #" {"schema":"tessera-split/1","shard":3,"shards":8}"#,
    #"{"shard":3,"schema":"tessera-split/1","shards":8}"#, #"{"schema":1,"shard":3,"shards":8}"#,
    "",
  ])
  func otherLinesBeginNoPart(_ line: String) {
    #expect(SplitManifest(first: line) == nil)
  }

  @Test(arguments: [
    "", "[]", #"{"line":1}"#, #"{"url":"u"}"#, #"{"line":1,"url":2}"#, #"{"line":1,"url":"u""#,
    #"{"end":1}"#, #"{"manifest":"ab"}"#, #"{"problem":"no"}"#, #"{"line":"1","problem":"no"}"#,
  ])
  func aDamagedLineIsNone(_ line: String) throws {
    var reader = SplitManifest(try #require(Shard(0, of: 1)))
    #expect(reader.record(line) == nil)
    // And it does not count.
    _ = reader.record(#"{"end":0,"manifest":"ab"}"#)
    #expect(reader.manifestDigest == "ab")
  }

  // MARK: Entries that wait in a file

  @Test func aPackedEntryHasItsPositionAndItsID() throws {
    var entry = ManifestEntry(line: 5, id: nil, url: "https://a/1")
    entry.id = "https://a/1"
    #expect(
      Self.text(entry.packed(position: 9))
        == #"{"position":9,"line":5,"id":"https://a/1","url":"https://a/1"}"#)
    var whole = Self.entry()
    let (unpacked, position) = try #require(ManifestEntry.unpacked(whole.packed(position: 0)))
    #expect(unpacked == whole && position == 0)
    whole.others.areOfJSON = true
    #expect(ManifestEntry.unpacked(whole.packed(position: 1))?.0 == whole)
  }

  @Test(arguments: ["[0.5]", "[0.5,0.5,0.5]", "0.5", "null"])
  func aFocusHasTwoNumbers(_ focus: String) throws {
    let text = #"{"position":1,"line":2,"id":"a","url":"u","focus":\#(focus)}"#
    let entry = try #require(ManifestEntry.unpacked(Array(text.utf8))).0
    #expect(entry == ManifestEntry(line: 2, id: "a", url: "u"))
  }
}
