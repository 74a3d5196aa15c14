import Foundation
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// Files of runs that ended together with the machine, and states that a disk has damaged.
@Suite struct RecoveryTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("state")
  }

  private static func file(_ name: String) -> VariantRecord { Files.record(name) }

  /// Boots of two earlier runs, with a file each, and the present one.
  private func doubtful() async throws -> StateStore {
    let state = try StateStore(path: path)
    for (boot, keys) in [("1", ["cc", "aa"]), ("2", ["bb"]), ("3", ["dd"])] {
      let run = try await state.beginRun(boot: boot)
      for key in keys { try await state.saveTableFile(Self.file(key), key: key, run: run) }
    }
    return state
  }

  private func keys(_ state: StateStore, after key: String = "", limit: Int = 9) async throws
    -> [String]
  {
    try await state.doubtful(boot: "3", after: key, limit: limit).map(\.key)
  }

  @Test func filesOfEarlierBootsAreDoubtful() async throws {
    let state = try await doubtful()
    #expect(try await state.hasDoubts(boot: "3"))
    #expect(
      try await state.doubtful(boot: "3", after: "", limit: 9).map(\.file)
        == ["aa", "bb", "cc"].map(Self.file))
    #expect(try await keys(state) == ["aa", "bb", "cc"])
    #expect(try await keys(state, limit: 2) == ["aa", "bb"])
    #expect(try await keys(state, after: "bb") == ["cc"])
    #expect(try await state.doubtful(boot: "1", after: "", limit: 9).map(\.key) == ["bb", "dd"])
    // Those that were examined are not examined again; those that are gone are made again.
    try await state.endDoubts(of: ["aa"])
    #expect(try await keys(state) == ["bb", "cc"])
    try await state.forgetVariants(["cc", "none"])
    #expect(try await keys(state) == ["bb"])
    #expect(
      try await state.made(["aa", "bb", "cc", "dd"], placeholder: "").0
        == [Self.file("aa"), Self.file("bb"), nil, Self.file("dd")])
    try await state.endDoubts(boot: "3")
    let next = try StateStore(path: path)
    #expect(try await next.hasDoubts(boot: "3") == false)
    #expect(try await keys(next) == [])
    // The present run is not over.
    #expect(try await next.hasDoubts(boot: "4"))
  }

  /// A run whose files are on the disk leaves no doubt; it is there at once.
  @Test func aCompletedRunLeavesNoDoubt() async throws {
    let state = try await doubtful()
    let run = try await state.beginRun(boot: "3")
    let completed = StateStore.CompletedRun(
      pipeline: "feed", items: 4, identity: "i", addresses: "a")
    try await state.endRun(run, completed)
    let next = try StateStore(path: path)
    #expect(try await next.hasDoubts(boot: "4") == false)
    #expect(try await next.lastCompletedRun() == completed)
    #expect(try await next.beginRun(boot: "4") == run + 1)
    try await next.commit()
    #expect(try await next.hasDoubts(boot: "5"))
  }

  /// A copy is a state of its own, while others go on working.
  @Test func aCopyHasWhatWasWrittenUntilThen() async throws {
    let state = try StateStore(path: path)
    try await state.saveTableFile(Self.file("a"), key: "a", run: 1)
    try await state.copy(to: folder.path("copy"))
    try await state.saveTableFile(Self.file("b"), key: "b", run: 1)
    let copy = try StateStore(path: folder.path("copy"))
    #expect(try await copy.made(["a", "b"], placeholder: "").0 == [Self.file("a"), nil])
    await #expect(throws: StateError.self) { try await state.copy(to: folder.path("copy")) }
  }

  /// A state is read where it is, and one without tables is not changed.
  @Test func readingChangesNoState() async throws {
    do {
      let state = try StateStore(path: path)
      try await state.saveTableFile(Self.file("a"), key: "a", run: 1)
      try await state.close()
    }
    let reading = try StateReading(path: path)
    #expect(reading.store.path == path)
    #expect(try await reading.store.tableFile("a") == Self.file("a"))
    // A file without tables is one that a later opening would fill.
    try Database(folder.path("empty")).execute("CREATE TABLE x (y); DROP TABLE x")
    let before = try folder.read("empty")
    let other = try StateReading(path: folder.path("empty"))
    #expect(try await other.store.lastCompletedRun() == nil)
    #expect(try folder.read("empty") == before)
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    #expect(throws: StateError.self) { try StateReading(path: folder.path("none")) }
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }
}
