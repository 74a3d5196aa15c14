import Foundation
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// The tables of a file, and files of other versions.
@Suite struct SchemaTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("state")
    _ = try StateStore(path: path)
  }

  @Test func aNewFileHasTheNewestTables() throws {
    let database = try Database(path)
    #expect(try database.prepare("PRAGMA user_version").first([]) { $0.int(0) } == 28)
    #expect(Schema.version == 28)
    #expect(try !Schema.isEmpty(database))
    #expect(try Schema.isWhole(database))
    let empty = try Database("")
    #expect(try Schema.isEmpty(empty))
    #expect(try !Schema.isWhole(empty))
    // The tables of a file that has the newest stay as they are.
    try database.execute("INSERT INTO retired VALUES ('a', 1, NULL)")
    try Schema.prepare(database)
    #expect(try database.prepare("SELECT count(*) FROM retired").first([]) { $0.int(0) } == 1)
  }

  @Test(arguments: [
    (
      29, "CREATE TABLE more (x)", StateError.Kind.newer,
      "a later version of tessera wrote it (schema 29; this version reads up to 28); use that "
        + "version, or another output"
    ),
    (
      29, "", .corrupt,
      "its schema has a wrong number (29); if it is damaged, tessera prune or the next run sets it aside"
    ),
    (
      -1, "", .corrupt,
      "its schema has a negative number; if it is damaged, tessera prune or the next run sets it aside"
    ),
    (
      23, "", .older,
      "another version of tessera wrote it (schema 23; this version reads 28); run the pipeline, which "
        + "sets it aside and fetches everything again"
    ),
    (
      1, "", .older,
      "another version of tessera wrote it (schema 1; this version reads 28); run the pipeline, which "
        + "sets it aside and fetches everything again"
    ),
  ])
  func filesOfOtherVersionsAreNotOpened(
    _ version: Int, _ change: String, _ kind: StateError.Kind, _ text: String
  ) throws {
    try Database(path).execute("\(change); PRAGMA user_version = \(version)")
    let error = #expect(throws: StateError.self) { try StateStore(path: path) }
    #expect(error?.kind == kind)
    #expect(error?.description == "the state file \"\(path)\": \(text)")
    let reading = #expect(throws: StateError.self) { try StateReading(path: path) }
    #expect(reading?.kind == kind)
  }

  /// Whether the file may have to be set aside is a question of the kind of error.
  @Test func someErrorsSuggestDamage() {
    let kinds: [(StateError.Kind, Bool)] = [
      (.corrupt, true), (.incomplete, true), (.rejected, true), (.older, true),
      (.unavailable, false), (.newer, false),
    ]
    for (kind, suggests) in kinds {
      let error = StateError(kind: kind, path: "", message: "odd")
      #expect(error.suggestsDamage == suggests, "\(kind)")
      #expect(error.remedy == "if it is damaged, tessera prune or the next run sets it aside")
    }
    // One that is set aside for its age is never examined.
    #expect(StateStore.isDamaged(StateError(kind: .older, path: path, message: "")))
  }

  @Test func errorsOfTemporaryDatabasesNameTheirFolder() throws {
    let error = StateError(kind: .unavailable, path: "", message: "odd", remedy: "wait")
    let place = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
    #expect(error.description == "a temporary database in \"\(place)\": odd; wait")
  }

  /// Result codes (sqlite.org/rescode.html) that the sentences of other tests do not have.
  @Test(
    arguments: [
      (9, .corrupt, "if it is damaged, tessera prune or the next run sets it aside"),
      (6, .unavailable, "end the program that holds its lock, and run again"),
      (15, .unavailable, "end the program that holds its lock, and run again"),
      (3, .unavailable, "make the file and its folder writable, and run again"),
      (23, .unavailable, "make the file and its folder writable, and run again"),
      (22, .unavailable, "check the disk, and run again"),
      (10, .unavailable, "check the disk, and run again"),
      (19, .rejected, "if it is damaged, tessera prune or the next run sets it aside"),
      (21, .rejected, "if it is damaged, tessera prune or the next run sets it aside"),
    ] as [(Int32, StateError.Kind, String)])
  func codesHaveKinds(_ code: Int32, _ kind: StateError.Kind, _ remedy: String) {
    let error = StateError(code: code, message: "m", system: 0, path: "s")
    #expect((error.kind, error.remedy, error.path) == (kind, remedy, "s"))
    #expect(error.message == (code == 10 ? "m (10)" : "m"))
  }

  @Test func knowledgeIsEmptyIfNothingIsKnown() {
    let confirmation = Confirmation(
      etag: nil, lastModified: nil, checked: 1, freshUntil: nil, run: 1)
    var knowledge = StateStore.Knowledge()
    #expect(knowledge.isEmpty)
    knowledge.source = SourceRecord(content: "c", confirmation: confirmation)
    #expect(!knowledge.isEmpty)
    knowledge = StateStore.Knowledge()
    knowledge.header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
      confirmation: confirmation)
    #expect(!knowledge.isEmpty)
    knowledge = StateStore.Knowledge()
    knowledge.rejection = RejectionRecord(
      settings: "s", kind: .rejected, code: "not-image", details: "[]", content: nil, etag: nil,
      place: "p", seen: 1)
    #expect(!knowledge.isEmpty)
  }

  /// What the last run said of it comes along for an item.
  @Test func knowledgeHasTheLastResultOfAnItem() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim([.init(id: "a", line: 1, entry: "")], run: run)
    #expect(try await state.knowledge(of: "k", url: "u", id: "a").item == nil)
    try await state.save(
      .init(
        id: "a", line: "{a}", status: "stale", reasons: [], placeholder: "p", files: "f"), key: "k",
      url: "u")
    let last = try #require(try await state.knowledge(of: "k", url: "u", id: "a").item)
    #expect((last.status, last.sum) == ("stale", LineInputs.sum(of: "{a}".utf8)))
    #expect((last.source, last.request, last.placeholder, last.files) == ("k", "u", "p", "f"))
    #expect(try await state.knowledge(of: "k", url: "u").item == nil)
    #expect(try await state.knowledge(of: "k", url: "u", id: "b").item == nil)
  }
}
