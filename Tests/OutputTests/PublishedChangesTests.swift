import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Changes from earlier catalogs to the current one.
@Suite struct PublishedChangesTests {
  private let catalogs: MemoryCatalogs
  private var output: any Output { catalogs.output }

  init() throws { catalogs = try MemoryCatalogs() }

  private typealias Published = (digest: String, bytes: [UInt8])

  private var current: Published {
    get throws {
      let bytes = Array(try catalogs.output.text("catalog.json").utf8)
      return (CatalogDocument.statedDigest(of: bytes) ?? "", bytes)
    }
  }

  private func publish(_ ids: [String], changes: Int = 3) async throws -> Published {
    try await catalogs.publish(ids, keeping: 5, changes: changes)
    return try current
  }

  /// What an app with an old catalog makes of its changes.
  private func updated(_ old: Published) throws -> [UInt8] {
    try Self.applied(
      Array(catalogs.output.text("from-\(old.digest).json").utf8), to: old.bytes)
  }

  private static func applied(_ changes: [UInt8], to old: [UInt8]) throws -> [UInt8] {
    try CatalogChanges(reading: changes).applied(to: old) {
      MessageDigest.sha256.digest(of: $0)
    }
  }

  private static func ids(_ text: String) -> [String] { text.map { "id-\($0)" } }

  private func target(from catalog: Published) async throws -> String? {
    try await PublishedChanges.target(of: "from-\(catalog.digest).json", in: output)
  }

  /// Whatever changes, an app with the old catalog gets the new one.
  @Test(
    arguments: [
      ("abcdef", "abcdef"), ("abcdef", "xabcdef"), ("abcdef", "abcdefx"), ("abcdef", "bcdef"),
      ("abcdef", "fedcba"), ("abcdef", "fabcde"), ("abcdef", "bcdefa"), ("abcdef", "axcye"),
      ("a", "b"), ("", "ab"), ("ab", ""), ("abc", "cxyzab"),
      // Ids that are equal in Unicode.
      ("\u{E9}e\u{301}z", "e\u{301}\u{E9}z"), ("\u{E9}e\u{301}z", "\u{E9}z"),
      ("\u{E9}z", "e\u{301}z"), ("ab\u{212A}", "abK"), ("a\u{212A}bK", "Kb\u{212A}a"),
    ])
  func changesLeadToTheCurrentCatalog(_ before: String, _ after: String) async throws {
    let old = try await publish(Self.ids(before))
    let new = try await publish(Self.ids(after))
    #expect(try updated(old) == new.bytes)
  }

  /// An app with the current catalog learns so with one small request.
  @Test func theCurrentCatalogHasChangesThatChangeNothing() async throws {
    let catalog = try await publish(Self.ids("ab"))
    let head = String(decoding: catalog.bytes.prefix { $0 != 10 }, as: UTF8.self)
    #expect(
      try catalogs.output.text("from-\(catalog.digest).json")
        == #"{"schema":"tessera-changes/1","from":"\#(catalog.digest)","to":"\#(catalog.digest)","#
        + #""head":"\#(head.replacing("\"", with: "\\\""))","lines":[[0,1]]}"# + "\n")
    #expect(try updated(catalog) == catalog.bytes)
  }

  /// As many as the pipeline says; those of older catalogs leave, and without the key all of them.
  @Test func thereAreAsManyAsThePipelineSays() async throws {
    var all: [Published] = []
    for end in 1...5 { all.append(try await publish((0..<end).map { "i\($0)" }, changes: 2)) }
    #expect(
      Set(try await PublishedChanges.all(in: output))
        == Set(all.suffix(3).map { "from-\($0.digest).json" }))
    for old in all[2...] { #expect(try updated(old) == all[4].bytes) }
    _ = try await publish(["i0"], changes: 0)
    #expect(try await PublishedChanges.all(in: output) == [])
  }

  /// Changes that lead to the current catalog already are not made again.
  @Test func nothingIsReadForChangesThatAreThere() async throws {
    _ = try await publish(Self.ids("ab"))
    _ = try await publish(Self.ids("abc"))
    let before = catalogs.output.reads.count
    _ = try await publish(Self.ids("abc"))
    let reads = catalogs.output.reads[before...].map(\.path)
    #expect(!reads.contains { $0.hasPrefix(".tessera/catalogs/") && !$0.hasSuffix("list.json") })
  }

  /// They are not worth their request if they have more than a quarter of the catalog's bytes, unless that is little.
  @Test func largeChangesAreNotWritten() async throws {
    let many = (0..<2_000).map { "i\($0)" }
    let old = try await publish(many)
    let few = try await publish(many + ["x"])
    #expect(try await target(from: old) != nil)
    _ = try await publish(many.map { "new-\($0)" })
    #expect(try await target(from: old) == nil)
    #expect(try await target(from: few) == nil)
  }

  /// A run that publishes twice, as with `upgrade`: the changes lead to the second catalog.
  @Test func changesLeadToTheLastPublication() async throws {
    let old = try await publish(Self.ids("ab"))
    let first = try await publish(Self.ids("abc"))
    let ids = Self.ids("abcd")
    var draft = try await catalogs.draft(ids.count)
    for id in ids { try draft.add(Array(MemoryCatalogs.image(id).utf8)) }
    try await draft.publish(keeping: nil, now: 1)
    let new = try current
    #expect(try updated(old) == new.bytes)
    #expect(try updated(new) == new.bytes)
    // It is not kept, so that there are none from it; an app with it fetches the whole.
    #expect(try await target(from: first) == nil)
  }

  /// It was removed by hand, which is not an error. The others are there, and none lead to another catalog.
  @Test func aKeptCatalogThatIsGoneHasNone() async throws {
    let old = try await publish(Self.ids("a"))
    let lost = try await publish(Self.ids("ab"))
    _ = try await publish(Self.ids("abc"))
    catalogs.output.delete(KeptCatalog.path(digest: lost.digest))
    let new = try await publish(Self.ids("abcd"))
    #expect(try updated(old) == new.bytes)
    let all = try await PublishedChanges.all(in: output)
    #expect(all.count == 3)
    for path in all {
      #expect(try await PublishedChanges.target(of: path, in: output) == new.digest)
    }
  }

  /// A run without the key that fails leaves them for the next one to delete.
  @Test func withoutTheKeyTheyLeaveEvenLater() async throws {
    _ = try await publish(Self.ids("ab"))
    catalogs.output.setUnwritable("catalog.json")
    await #expect(throws: SystemError.self) { try await publish(Self.ids("abc"), changes: 0) }
    catalogs.output.setUnwritable(nil)
    #expect(try await !PublishedChanges.all(in: output).isEmpty)
    _ = try await publish(Self.ids("abc"), changes: 0)
    #expect(try await PublishedChanges.all(in: output) == [])
    #expect(try await CatalogHistory.kept(in: output)?.retention.changes == 0)
  }

  /// In the other direction, too.
  @Test func aRollbackHasChanges() async throws {
    let old = try await publish(Self.ids("ab"))
    let new = try await publish(Self.ids("abc"))
    let kept = try #require(try await CatalogHistory.kept(in: output)?.catalogs.first)
    try await CatalogHistory(of: output, catalogs.workspace).rollBack(to: kept, now: 1)
    #expect(try updated(new) == old.bytes)
    #expect(try await target(from: old) == old.digest)
  }

  /// Another program's file of such a name leads nowhere.
  @Test func theTargetIsAmongTheFirstMembers() async throws {
    let path = "from-\(String(repeating: "0", count: 64)).json"
    #expect(try await PublishedChanges.target(of: path, in: output) == nil)
    let target = String(repeating: "7", count: 64)
    for (text, found) in [
      ("", nil), ("{}", nil), (#"{"to":"7"}"#, nil), (#"{"to":"\#(target)"}"#, target),
    ] {
      try catalogs.output.write(path, Array(text.utf8))
      #expect(try await PublishedChanges.target(of: path, in: output) == found)
    }
    #expect(PublishedChanges.isOne(path) && !PublishedChanges.isOne("x/\(path)"))
  }

  // MARK: Random catalogs

  /// Lines of an old and of a new catalog: removed, added, changed, moved, repeated, all or none.
  private static func pair(
    _ generator: inout SplitMix
  ) -> (old: [String], new: [String]) {
    func line(_ number: Int) -> String {
      #"{"id":"i\#(number % 40)","status":"pending","alt":"é \"\#(number)\" \\n"}"#
    }
    func lines() -> [String] {
      let count = Int.random(in: 0...30, using: &generator)
      return (0..<count).map { _ in line(Int.random(in: 0..<200, using: &generator)) }
    }
    let old = lines()
    var new = old
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      func place() -> Int { Int.random(in: 0..<max(1, new.count), using: &generator) }
      func added() -> String { line(Int.random(in: 0..<200, using: &generator)) }
      switch Int.random(in: 0...9, using: &generator) {
      case 0: new.insert(added(), at: Int.random(in: 0...new.count, using: &generator))
      case _ where new.isEmpty: break
      case 1: new.remove(at: place())
      case 2: new[place()] = added()
      case 3:
        let moved = new.remove(at: place())
        new.insert(moved, at: Int.random(in: 0...new.count, using: &generator))
      case 4: new.insert(new[place()], at: Int.random(in: 0...new.count, using: &generator))
      case 5: new.removeSubrange(place()...)
      case 6: new.removeSubrange(...place())
      case 7: new.reverse()
      case 8 where Int.random(in: 0...3, using: &generator) == 0: new = lines()
      default: new.swapAt(place(), place())
      }
    }
    return (old, new)
  }

  @Test func changesBetweenRandomCatalogsLeadToTheNewOne() throws {
    var generator = SplitMix(seed: 11)
    for round in 0..<1_000 {
      let (old, new) = Self.pair(&generator)
      let before = Array(MemoryCatalogs.document(old).utf8)
      let after = Array(
        MemoryCatalogs.document(new, head: MemoryCatalogs.head("feed \(round % 3)")).utf8)
      var reader = CatalogReader()
      reader.add(after)
      _ = try reader.readHead()
      var writer = ChangesWriter()
      for line in old { writer.addOld(line.utf8) }
      writer.begin(
        from: CatalogDocument.statedDigest(of: before) ?? "",
        to: CatalogDocument.statedDigest(of: after) ?? "", head: reader.headText)
      var changes: [UInt8] = []
      for line in new { changes += writer.addNew(line.utf8) }
      changes += writer.end()
      #expect(writer.count == changes.count - 1 && changes.last == 10)
      #expect(try Self.applied(changes, to: before) == after, "\(round)")
      // A line that the old catalog has is not repeated, and ranges are as long as they can be.
      let lines = try #require(try JSONParser.parse(changes)["lines"]?.arrayValue)
      let known = Set(old.map { Array($0.utf8) })
      #expect(
        lines.compactMap(\.stringValue) == new.filter { !known.contains(Array($0.utf8)) },
        "\(round)")
      let ends = lines.map { $0.arrayValue?.compactMap(\.intValue) ?? [] }
      for (one, next) in zip(ends, ends.dropFirst()) where !one.isEmpty && !next.isEmpty {
        #expect(one[1] + 1 != next[0], "\(round)")
      }
    }
  }
}
