import Foundation
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// What items have and had, and how all of it is erased.
@Suite struct FormerItemsTests {
  private let folder: TemporaryFolder
  private let path: String
  private let state: StateStore

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("state")
    state = try StateStore(path: path)
  }

  private static let confirmation = Confirmation(
    etag: "e", lastModified: nil, checked: 1, freshUntil: nil, run: 1)

  /// Saves an item, with everything of it named after its version. The request has a key of its
  /// own.
  private func save(_ id: String, _ name: String, content: String? = nil) async throws {
    let digest = content ?? "c-\(name)"
    var change = StateStore.SourceChange()
    change.source = SourceRecord(content: digest, confirmation: Self.confirmation)
    change.rejection = .save(
      RejectionRecord(
        settings: "s", kind: .rejected, code: "not-image", details: "[]", content: digest,
        etag: nil, place: "p", seen: 1))
    change.made = StateStore.Made(
      digest: digest,
      content: ContentRecord(
        format: "gif", facts: SourceFacts(size: Size(3, 4), hasAlpha: true, frames: 1)),
      variants: [
        ("v-\(name)", Files.record(name))
      ], placeholder: ("p-\(name)", Placeholders()), run: 1)
    let quality = QualityRecord.key(content: digest, digest: "0123456789abcdef")
    change.made?.qualities = [(quality, CollectingTests.quality(run: 1))]
    try await state.save(
      .init(
        id: id, line: "{\(name)}", status: "ok", reasons: [], placeholder: "p-\(name)",
        files: Files.source(name)), change, key: "s-\(name)", url: "r-\(name)")
  }

  private func run(_ ids: [String], ends: Bool = true) async throws {
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(
      ids.map { .init(id: $0, line: 1, entry: $0) }, run: run)
    for id in ids { try await save(id, id) }
    if ends { try await state.endRun(run, .init(pipeline: "p", items: ids.count)) }
  }

  private static func possessions(_ name: String, content: String? = nil) -> Set<Possession> {
    [
      Possession(.files, Files.source(name)), Possession(.sources, "s-\(name)"),
      Possession(.rejections, "r-\(name)"),
      Possession(.contents, content ?? "c-\(name)"), Possession(.placeholders, "p-\(name)"),
    ]
  }

  /// Keys of all tables, and all notes on what items had.
  private func rows() throws -> [String: [String]] {
    let database = try Database(path, isReadOnly: true)
    var rows: [String: [String]] = [:]
    for (table, key) in [
      ("sources", "key"), ("headers", "key"), ("rejections", "key"), ("contents", "content"),
      ("placeholders", "key"), ("variants", "key"), ("qualities", "substr(key, 1, 3)"),
      ("items", "id"),
      (
        "former",
        "kind || ' ' || CASE typeof(name) WHEN 'blob' THEN lower(hex(name)) ELSE name END || ' of ' || id"
      ),
    ] {
      var keys: [String] = []
      try database.prepare("SELECT \(key) FROM \(table) ORDER BY 1").run { keys.append($0.text(0)) }
      rows[table] = keys
    }
    return rows
  }

  @Test func possessionsAreStoredAsTheirKindAndName() throws {
    let select = try Database("").prepare("SELECT ?, ?")
    for kind in Possession.Kind.allCases {
      for name in ["a b", String(repeating: "ab", count: 32)] {
        let possession = Possession(kind, name)
        #expect(try select.first(possession.values) { Possession($0) } == possession)
      }
    }
    #expect(try select.first([.text("odd"), .text("a")]) { Possession($0) } == .some(nil))
  }

  /// A request without a key of its own is the source's; the bytes are those of the source's record.
  @Test func anItemHasWhatItsLineWasMadeFrom() async throws {
    var item = ItemState(
      status: "ok", sum: 1, files: Files.source("a"), source: "s-a", request: "r-a",
      placeholder: "p-a")
    let bytes = Possession(.contents, "c-a")
    #expect(item.possessions.union([bytes]) == Self.possessions("a"))
    #expect(!item.possessions.contains(bytes))
    #expect(try await state.possessions(of: item) == item.possessions)
    try await save("other", "a")
    #expect(try await state.possessions(of: item) == Self.possessions("a"))
    item.request = nil
    (item.files, item.placeholder) = (nil, nil)
    #expect(item.possessions == [Possession(.sources, "s-a"), Possession(.rejections, "s-a")])
    item.source = "s-none"
    #expect(
      try await state.possessions(of: item) == [
        Possession(.sources, "s-none"), Possession(.rejections, "s-none"),
      ])
  }

  @Test func whatAnItemHadIsRemembered() async throws {
    try await run(["a", "b"])
    #expect(try await state.possessions(of: ["a"]) == Self.possessions("a"))
    // Other bytes from another place.
    try await save("a", "a2")
    let both = Self.possessions("a").union(Self.possessions("a2"))
    #expect(try await state.possessions(of: ["a"]) == both)
    #expect(try await state.possessions(of: ["b"]) == Self.possessions("b"))
    #expect(
      try await state.possessions(of: ["a", "b"]) == both.union(Self.possessions("b")))
    #expect(try await state.possessions(of: ["c"]) == [])
    for (digests, ids) in [
      (["s-a"], ["a"]), (["r-a"], ["a"]), (["s-a2"], ["a"]), (["r-a2"], ["a"]), (["c-a"], []),
      (["r-b", "s-a", "none"], ["a", "b"]), ([], []),
    ] {
      #expect(try await state.ids(ofSources: digests) == ids, "\(digests)")
    }
    // The same line from another source.
    try await state.save(
      .init(
        id: "b", line: "{b}", status: "ok", reasons: [], placeholder: "p-b",
        files: Files.source("b")), key: "s-new", url: "r-new")
    #expect(try await state.ids(ofSources: ["s-b"]) == ["b"])
  }

  /// What one item has learned of a source holds for all that have it.
  @Test func theFormerBytesOfASharedSourceBelongToAllOfItsItems() async throws {
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(["a", "b"].map { .init(id: $0, line: 1, entry: "") }, run: run)
    for (id, content) in [("a", "old"), ("b", "old"), ("b", "new"), ("a", "new")] {
      var change = StateStore.SourceChange()
      change.source = SourceRecord(
        content: content,
        confirmation: .init(etag: nil, lastModified: nil, checked: 1, freshUntil: nil, run: run))
      try await state.save(
        .init(id: id, line: "{\(content)}", status: "ok", reasons: []), change, key: "k", url: "k")
    }
    for id in ["a", "b"] {
      let contents = try await state.possessions(of: [id]).filter { $0.kind == .contents }
      #expect(Set(contents.map(\.name)) == ["old", "new"])
    }
    let erased = try await state.erase(["a", "b"], try await state.possessions(of: ["a", "b"]))
    #expect(Set(erased) == ["old", "new"])
    try await state.commit()
    #expect(try rows()["former"] ?? [] == [])
  }

  /// Items that a manifest no longer has, however many.
  @Test func goneItemsAreRemembered() async throws {
    let gone = (0..<1_003).map { "i\($0)" }
    let first = try await state.beginRun(boot: "1")
    _ = try await state.claim(
      (gone + ["a"]).map { .init(id: $0, line: 1, entry: "") }, run: first)
    for id in gone + ["a"] {
      try await state.save(
        .init(id: id, line: "{}", status: "ok", reasons: [], files: Files.source(id)),
        key: "s-\(id)", url: "s-\(id)")
    }
    try await state.endRun(first, .init(pipeline: "p", items: gone.count + 1))
    let second = try await state.beginRun(boot: "1")
    let claims = try ChunkClaims.none
    _ = try await state.claim([.init(id: "a", line: 1, entry: "")], run: second, in: claims)
    #expect(claims.kept == 1)
    try await state.endRun(second, .init(pipeline: "p", items: 1))
    for id in [0, 1, 498, 499, 500, 501, 999, 1_000, 1_002].map({ gone[$0] }) {
      #expect(try await state.has(id))
      #expect(try await state.ids(ofSources: ["s-\(id)"]) == [id])
    }
    #expect(try await state.has("a"))
    #expect(try await !state.has("b"))
    #expect(try rows()["items"] == ["a"])
    #expect(try rows()["former"]?.count == gone.count * 3)
  }

  /// Items of runs that were stopped were in no catalog.
  @Test func itemsOfStoppedRunsAreNotMissed() async throws {
    try await run(["a", "b"])
    try await run(["c"], ends: false)
    let run = try await state.beginRun(boot: "1")
    let claims = try ChunkClaims.none
    for (index, (id, kept)) in [("c", 0), ("d", 0), ("b", 1), ("b", 1), ("a", 2)].enumerated() {
      _ = try await state.claim(
        [.init(id: id, line: 1, entry: "")], run: run, slot: index, in: claims)
      #expect(claims.kept == kept, "\(id)")
    }
  }

  @Test func aFileIsOthersIfOnlyTheyHadIt() async throws {
    try await run(["a", "b"])
    try await save("a", "a2")
    // Any of the files of a source.
    for path in [Files.path("a"), Files.path("a", fileExtension: "avif")] {
      #expect(try await state.wasOfOthers(path, than: ["b"]))
      #expect(try await !state.wasOfOthers(path, than: ["b", "a"]))
      #expect(try await !state.wasOfOthers(path, than: ["a"]))
    }
    // Another path has no source in it.
    #expect(try await !state.wasOfOthers("variants/\(Files.source("a"))", than: ["b"]))
    // What an item has at present is not a note.
    #expect(try await !state.wasOfOthers(Files.path("a2"), than: ["b"]))
    #expect(try await state.knowsContent("c-a2"))
    #expect(try await !state.knowsContent("c-none"))
  }

  @Test func erasingTakesAllThatNoOtherItemHas() async throws {
    try await run(["a", "b"])
    try await save("a", "a2")
    // An item with the same source, placeholder and line as the second one.
    try await run(["a", "b", "d"], ends: false)
    try await save("d", "b")
    let before = try await state.possessions(of: ["a", "b"])
    #expect(Set(try await state.erase(["a", "b"], before)) == ["c-a", "c-a2"])
    try await state.eraseFiles([Files.path("a"), Files.path("a2")])
    try await state.rewrite()
    #expect(
      try rows() == [
        "sources": ["s-b", "s-d"], "headers": [], "rejections": ["r-b", "r-d"],
        "contents": ["c-b", "c-d"], "placeholders": ["p-b", "p-d"], "variants": ["v-b", "v-d"],
        "qualities": ["c-b", "c-d"], "items": ["d"],
        "former": Self.possessions("d").map { "\($0.kind) \($0.name) of d" }.sorted(),
      ])
    #expect(try await state.lastStatuses(of: ["a", "b", "d"]) == [nil, nil, "ok"])
    #expect(try await !state.has("a"))
    // Those that were counted are not missing from the next run.
    #expect(try await state.lastCompletedRun()?.items == 0)
    let file = try folder.read("state")
    for trace in ["s-a", "r-a", "c-a", "p-a", Files.source("a"), Files.source("a2")] {
      #expect(file.firstRange(of: Data(trace.utf8)) == nil, "\(trace)")
    }
    #expect(file.firstRange(of: Data(Files.source("b").utf8)) != nil)
    // In items and notes they are stored as bytes.
    func hasBytes(of name: String) -> Bool {
      PackedKey.pack(Array(Files.source(name).utf8)[...])
        .map { file.firstRange(of: Data($0)) != nil } ?? true
    }
    #expect(["a", "a2", "d"].map(hasBytes) == [false, false, true])
    #expect(try folder.read("state-wal").isEmpty)
  }

  /// An item that the last completed run did not have is not one of those that it counted.
  @Test func erasingAMissingItemCountsNothing() async throws {
    try await run(["a", "b"])
    #expect(try await state.erase(["none"], []) == [])
    #expect(try await state.lastCompletedRun()?.items == 2)
    #expect(try await state.erase(["a"], []) == [])
    #expect(try await state.lastCompletedRun()?.items == 1)
    try await state.close()
    #expect(try rows()["sources"] == ["s-a", "s-b"])
    #expect(try folder.read("state-wal").isEmpty)
  }

  /// Notes on what is no longer there leave; those on files leave with the last one of their source.
  @Test func notesLeaveWithWhatTheyAreAbout() async throws {
    try await run(["a"])
    try await save("a", "a2")
    try await state.saveTableFile(Files.record("a", fileExtension: "avif"), key: "v-a-b", run: 1)
    try await state.forgetFormer()
    #expect(
      try await state.possessions(of: ["a"])
        == Self.possessions("a").union(Self.possessions("a2")))
    try await state.commit()
    try Database(path).execute(
      "DELETE FROM sources WHERE key = 's-a'; DELETE FROM placeholders WHERE key = 'p-a'")
    try await state.forgetFormer()
    try await state.commit()
    let files = "files \(Files.source("a")) of a"
    #expect(try rows()["former"] == ["contents c-a of a", files, "rejections r-a of a"])
    try Database(path).execute("DELETE FROM contents; DELETE FROM rejections")
    for (key, notes) in [("none", [files]), ("v-a", [files]), ("v-a-b", [])] {
      try Database(path).execute("DELETE FROM variants WHERE key = '\(key)'")
      try await state.forgetFormer()
      try await state.commit()
      #expect(try rows()["former"] == notes, "\(key)")
    }
  }
}
