import TesseraTestSupport
import Testing

@testable import TesseraState

/// When writes reach the file: together, and at the latest when that is requested.
@Suite struct CommitTests {
  private static let rejection = RejectionRecord(
    settings: "s", kind: .rejected, code: "not-image", details: "[]", content: nil, etag: nil,
    place: "p", seen: 1)
  private static let file = Files.record("p")
  private static let result = ItemResult(id: "a", line: "{}", status: "ok", reasons: [])

  struct Write: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var body: @Sendable (isolated StateStore) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (isolated StateStore) throws -> Void) {
      (testDescription, self.body) = (name, body)
    }
  }

  private static let writes = [
    Write("claim") {
      _ = try $0.claim([.init(id: "b", line: 1, entry: "")], run: 1)
    },
    Write("save") { try $0.save(result) },
    Write("save a source") {
      var change = StateStore.SourceChange()
      change.rejection = .save(rejection)
      try $0.save(change, key: "k", url: "u")
    },
    Write("confirm") { try $0.confirm("a", reasons: [], nil, key: "k") },
    Write("lostSince") { _ = try $0.lostSince("a", now: 1) },
    Write("doubtLine") { try $0.doubtLine(of: "a") },
    Write("save chunks") { try $0.save([Chunk(Chunk.Key(of: "k"), count: 1, line: 1)]) },
    Write("saveTableFile") { try $0.saveTableFile(file, key: "k", run: 1) },
    Write("retired") { _ = try $0.retired("a", now: 1, notes: true) },
    Write("forgetRetired") { try $0.forgetRetired("a") },
    Write("eraseFiles") { try $0.eraseFiles(["a"]) },
    Write("erase") { _ = try $0.erase(["a"], []) },
    Write("clearNotes") { try $0.clearNotes(on: ["a"]) },
    Write("forgetFormer") { try $0.forgetFormer() },
    Write("endDoubts") { try $0.endDoubts(of: ["k"]) },
    Write("forgetVariants") { try $0.forgetVariants(["k"]) },
    Write("collect") {
      try $0.beginNaming()
      _ = try $0.collect(.variants, after: "", now: 1, grace: 1, isDryRun: false)
    },
  ]

  /// A commit of its own for each would write twenty times as much.
  @Test(arguments: writes)
  func writesWaitForACommit(_ write: Write) async throws {
    let state = try StateStore(path: "")
    _ = try await state.claim([.init(id: "a", line: 1, entry: "")], run: 1)
    try await state.saveTableFile(Self.file, key: "k2", run: 1)
    #expect(try await state.leavesTransaction(write.body))
  }

  private static let commits = [
    Write("beginRun") { _ = try $0.beginRun(boot: "1") }, Write("commit") { try $0.commit() },
    Write("endRun") { try $0.endRun(1, .init(pipeline: "p", items: 1)) },
    Write("endSelection") { try $0.endSelection(1, [], settings: "") },
    Write("endDoubts") { try $0.endDoubts(boot: "1") },
    Write("close") { try $0.close() }, Write("rewrite") { try $0.rewrite() },
    Write("shrink") { try $0.shrink() },
  ]

  @Test(arguments: commits)
  func theseCommitEverything(_ commit: Write) async throws {
    let folder = try TemporaryFolder()
    let state = try StateStore(path: folder.path("state"))
    _ = try await state.beginRun(boot: "1")
    let isOpen = try await state.leavesTransaction { state in
      try state.saveTableFile(Self.file, key: "k", run: 1)
      try commit.body(state)
    }
    #expect(!isOpen)
    #expect(try await StateStore(path: folder.path("state")).tableFile("k") == Self.file)
  }

  /// Reads make no commit, and leave no transaction open.
  @Test func readsLeaveTransactionsAsTheyAre() async throws {
    let state = try StateStore(path: "")
    _ = try await state.claim([.init(id: "a", line: 1, entry: "")], run: 1)
    let reads = [
      Write("knowledge") { _ = try $0.knowledge(of: "k", url: "u", id: "a") },
      Write("made") { _ = try $0.made(["k"], placeholder: "p") },
      Write("qualities") { _ = try $0.qualities(["k"]) },
      Write("lastSeen") { _ = try $0.lastSeen(["k"]) },
      Write("statuses") { _ = try $0.statuses(of: ["a"], in: 1, try ChunkClaims.none) },
      Write("lookUpLines") { _ = try $0.lookUpLines([.init("a", source: "k", url: "u")]) },
      Write("chunkIndex") { _ = try $0.chunkIndex() },
      Write("retired") { _ = try $0.retired("a", now: 1, notes: false) },
      Write("collect") {
        try $0.beginNaming()
        _ = try $0.collect(.sources, after: "", now: 1, grace: 1, isDryRun: true)
      },
    ]
    for read in reads {
      #expect(try await !state.leavesTransaction(read.body), "\(read.testDescription)")
      let isOpen = try await state.leavesTransaction { state in
        _ = try state.lostSince("a", now: 1)
        try read.body(state)
      }
      #expect(isOpen, "\(read.testDescription)")
    }
  }

  /// Without a commit by the caller, one follows after a while.
  @Test(.timeLimit(.minutes(10))) func writesAreCommittedAfterAWhile() async throws {
    let folder = try TemporaryFolder()
    let state = try StateStore(path: folder.path("state"))
    try await state.saveTableFile(Self.file, key: "k", run: 1)
    let other = try StateStore(path: folder.path("state"))
    while try await other.tableFile("k") == nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await other.tableFile("k") == Self.file)
  }
}

extension StateStore {
  /// Whether a transaction is open after the body. Nothing comes in between.
  fileprivate func leavesTransaction(
    _ body: @Sendable (isolated StateStore) throws -> Void
  ) throws -> Bool {
    try commit()
    try body(self)
    return database.isInTransaction
  }
}
