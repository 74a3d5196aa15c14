import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraState

/// A full disk, a lock and a damaged file are three different things.
@Suite struct StateErrorTests {
  struct Sentence: Sendable, CustomTestStringConvertible {
    /// SQLite's extended result code, and the `errno` below it.
    var code: Int32
    var system: Int32 = 0
    var kind: StateError.Kind
    var text: String

    var testDescription: String { "\(code) \(system)" }
  }

  @Test(arguments: [
    Sentence(
      code: 13, kind: .unavailable,
      text: "no (words); free space on its file system, and run again"),
    Sentence(
      code: 778, system: EIO, kind: .unavailable,
      text: "no (words) (778: Input/output error); check the disk, and run again"),
    Sentence(
      code: 4874, system: EDQUOT, kind: .unavailable,
      text:
        "no (words) (4874: Disk quota exceeded); free space or have the quota raised, and run again"
    ),
    Sentence(
      code: 778, kind: .unavailable, text: "no (words) (778); check the disk, and run again"),
    // SQLite looked for the file after it could not make it.
    Sentence(
      code: 14, system: ENOENT, kind: .unavailable,
      text: "no (words) (14); make its folder writable, with free space and inodes, and run again"),
    Sentence(
      code: 14, system: EMFILE, kind: .unavailable,
      text: "no (words) (14: Too many open files); "
        + "raise the limit of open files (ulimit -n), and run again"),
    Sentence(
      code: 8, system: EIO, kind: .unavailable,
      text: "no (words); make the file and its folder writable, and run again"),
    Sentence(
      code: 1032, kind: .unavailable,
      text: "no (words); make the file and its folder writable, and run again"),
    Sentence(
      code: 5, kind: .unavailable,
      text: "no (words); end the program that holds its lock, and run again"),
    Sentence(
      code: 262, kind: .unavailable,
      text: "no (words); end the program that holds its lock, and run again"),
    Sentence(code: 7, kind: .unavailable, text: "no (words); free memory, and run again"),
    Sentence(
      code: 11, kind: .corrupt,
      text: "no (words); if it is damaged, tessera prune or the next run sets it aside"),
    Sentence(
      code: 779, kind: .corrupt,
      text: "no (words); if it is damaged, tessera prune or the next run sets it aside"),
    Sentence(
      code: 26, kind: .corrupt,
      text: "no (words); if it is damaged, tessera prune or the next run sets it aside"),
    Sentence(
      code: 1, kind: .rejected,
      text: "no (words); if it is damaged, tessera prune or the next run sets it aside"),
    Sentence(
      code: 1555, kind: .rejected,
      text: "no (words); if it is damaged, tessera prune or the next run sets it aside"),
  ])
  func everyCodeHasItsKindAndItsRemedy(_ expected: Sentence) {
    let error = StateError(
      code: expected.code, message: "no (words)", system: expected.system, path: "s")
    #expect(error.kind == expected.kind)
    #expect(error.description == "the state file \"s\": \(expected.text)")
    #expect(error.isFullDisk == (expected.code == 13 || expected.system == EDQUOT))
  }

  /// A state whose log is empty is read without a lock and without a file beside it, whatever its folder is called.
  @Test func aStateAtRestIsOnlyRead() async throws {
    let folder = try TemporaryFolder()
    let name = "a?b#c%41 ü"
    try FileManager.default.createDirectory(
      atPath: folder.path(name), withIntermediateDirectories: true)
    let path = folder.path("\(name)/state")
    // Closed at the end of this function, which empties its log.
    func write() async throws {
      let state = try StateStore(path: path)
      _ = try await state.beginRun(boot: "b")
      try await state.commit()
    }
    try await write()
    #expect(folder.files(below: name) == ["state"])
    let reading = try StateStore(atRest: path)
    #expect(try await reading.lastBegunRun()?.number == 1)
    #expect(try await reading.fileTotals() == (0, 0))
    #expect(folder.files(below: name) == ["state"])
    await #expect(throws: StateError.self) { try await reading.beginRun(boot: "b") }
  }

  /// The disk fills up. SQLite rolls back, and later statements would fail for another reason, or
  /// succeed without what was rolled back.
  @Test(.faults(.f16)) func theFirstErrorStays() async throws {
    let folder = try TemporaryFolder()
    let state = try StateStore(path: folder.path("state"))
    let run = try await state.beginRun(boot: "b")
    try await state.commit()
    await #expect(throws: StateError.self) { try await state.fill() }
    var sentences: Set<String> = []
    for _ in 0..<2 {
      do {
        _ = try await state.beginRun(boot: "c")
        Issue.record("a write after the error succeeded")
      } catch { sentences.insert("\(error)") }
      do {
        _ = try await state.statuses(of: ["a"], in: run, try ChunkClaims.none)
        Issue.record("a read after the error succeeded")
      } catch { sentences.insert("\(error)") }
      do {
        try await state.endRun(run, .init(pipeline: "p", items: 1))
        Issue.record("a commit after the error succeeded")
      } catch { sentences.insert("\(error)") }
    }
    #expect(
      sentences == [
        "the state file \"\(folder.path("state"))\": database or disk is full; "
          + "free space on its file system, and run again"
      ])
    // What was committed before is there, and not a row of the rest.
    let again = try StateStore(path: folder.path("state"))
    #expect(try await again.beginRun(boot: "c") == run + 1)
  }

  /// SQLite's word is not enough to set a state aside: the file is examined.
  @Test(arguments: [
    ("", false),
    ("DROP TABLE sources", true),
    ("ALTER TABLE contents DROP COLUMN profile", true),
    ("ALTER TABLE items RENAME COLUMN made TO nade", true),
    ("DROP INDEX items_by_status", true),
    ("PRAGMA user_version = 3", true),
    ("PRAGMA user_version = -3", true),
  ])
  func onlyADamagedStateIsSetAside(_ change: String, _ isDamaged: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    _ = try StateStore(path: path)
    try Database(path).execute(change + ";")
    for kind in [StateError.Kind.corrupt, .rejected] {
      #expect(StateStore.isDamaged(StateError(kind: kind, path: path, message: "")) == isDamaged)
    }
    for kind in [StateError.Kind.unavailable, .newer] {
      #expect(!StateStore.isDamaged(StateError(kind: kind, path: path, message: "")))
    }
    #expect(StateStore.isDamaged(StateError(kind: .incomplete, path: path, message: "")))
  }

  /// Bytes that SQLite stumbles over: each page in turn.
  @Test(.faults(.f9)) func everyDamagedPageIsFound() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state")
    do {
      let state = try StateStore(path: path)
      _ = try await state.beginRun(boot: "b")
      try await state.commit()
    }
    let whole = try folder.read("state")
    for page in stride(from: 0, to: whole.count, by: 4096) {
      var bytes = whole
      bytes.replaceSubrange(page..<page + 4096, with: Data(repeating: 0x5A, count: 4096))
      try bytes.write(to: folder.url.appending(path: "state"))
      let error = StateError(kind: .corrupt, path: path, message: "")
      #expect(StateStore.isDamaged(error), "page at \(page)")
    }
    // Not examined now is not damaged.
    try whole.write(to: folder.url.appending(path: "state"))
    let missing = StateError(kind: .corrupt, path: folder.path("none/state"), message: "")
    #expect(!StateStore.isDamaged(missing))
  }
}

extension StateStore {
  /// Writes until the database may not grow any more.
  fileprivate func fill() throws(StateError) {
    try database.execute("PRAGMA max_page_count = 40")
    // In one transaction, as the items of a run are.
    try begin()
    while true {
      try database.prepare("INSERT INTO runs (boot) VALUES (?)").run([
        .text(String(repeating: "b", count: 4000))
      ])
    }
  }
}
