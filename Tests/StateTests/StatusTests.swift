import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// What `tessera status` counts.
@Suite struct StatusTests {
  private let folder: TemporaryFolder
  private let state: StateStore

  init() throws {
    folder = try TemporaryFolder()
    state = try StateStore(path: folder.path("state"))
  }

  /// One has failed for no reason that is known.
  private static func reasons(_ index: Int) -> [Reason] {
    index == 5
      ? [.fetchedFirst] : [.fetchedAgain, .failed(code: "c\(index)", message: "m \(index)")]
  }

  /// A run with an item for each status, whose source was confirmed at the time of its place.
  private func run(_ statuses: [String]) async throws {
    let run = try await state.beginRun(boot: "")
    _ = try await state.claim(
      statuses.indices.map { .init(id: "p\($0)", line: $0 + 1, entry: "\($0)") }, run: run)
    for (index, status) in statuses.enumerated() {
      var change = StateStore.SourceChange()
      // One has never been fetched.
      if index != 1 {
        change.source = SourceRecord(
          content: "c\(index)",
          confirmation: .init(
            etag: nil, lastModified: nil, checked: Double(100 - index), freshUntil: nil, run: run))
      }
      change.made = StateStore.Made(
        digest: "c\(index)",
        content: ContentRecord(
          format: "gif", facts: SourceFacts(size: Size(3, 4), hasAlpha: true, frames: 1),
          warnings: []),
        variants: [
          ("v\(index)", Files.record("\(index)", bytes: 10 + index))
        ], placeholder: ("h\(index)", Placeholders()), run: run)
      try await state.save(
        .init(
          id: "p\(index)", line: #"{"id":"p\#(index)","status":"\#(status)"}"#, status: status,
          reasons: Self.reasons(index), host: index == 4 ? nil : "h\(index)"), change,
        key: "k\(index)", url: "u\(index)")
    }
    try await state.endRun(run, .init(pipeline: "feed", items: statuses.count))
  }

  @Test func anEmptyStateHasNothing() async throws {
    #expect(try await state.fileTotals() == (0, 0))
    #expect(try await state.oldestStale() == nil)
    #expect(try await state.troubledItems(after: 0, limit: 10).isEmpty)
    #expect(try await state.unnamedFiles(now: 1, grace: 1) == .init())
    #expect(try await state.lastBegunRun() == nil)
    _ = try await state.beginRun(boot: "")
    #expect(try #require(try await state.lastBegunRun()) == (1, false))
  }

  @Test func itemsThatARunHasDoneAreCounted() async throws {
    try await run(["ok", "failed", "stale", "pending"])
    #expect(try await state.doneItems(of: 1) == 4)
    #expect(try await state.doneItems(of: 2) == 0)
    // Of a run that has claimed three of them, none is done.
    let next = try await state.beginRun(boot: "")
    _ = try await state.claim(
      (0..<3).map { .init(id: "p\($0)", line: $0 + 1, entry: "\($0)") }, run: next)
    #expect(try await state.doneItems(of: next) == 0)
    #expect(try await state.doneItems(of: 1) == 1)
  }

  @Test func itemsWithErrorsComeInParts() async throws {
    try await run(["ok", "failed", "stale", "pending", "stale", "failed", "ok"])
    #expect(try #require(try await state.lastBegunRun()) == (1, true))
    #expect(try await state.fileTotals() == (7, 91))
    #expect(try await state.oldestStale() == 96)
    // Its source is gone: it is shown for another reason.
    _ = try await state.lostSince("p4", now: 7)
    #expect(try await state.oldestStale() == 98)
    #expect(try await state.troubledItems(after: 0, limit: 9).filter(\.isLost).map(\.id) == ["p4"])
    var found: [String] = []
    var last = 0
    while let part = try await Optional(state.troubledItems(after: last, limit: 2)),
      let next = part.last?.number
    {
      #expect(part.count <= 2)
      found += part.map {
        "\($0.id) \($0.isStale) \($0.checked ?? -1) \($0.code) \"\($0.message)\" \($0.host ?? "-")"
      }
      last = next
    }
    #expect(
      found == [
        #"p1 false -1.0 c1 "m 1" h1"#, #"p2 true 98.0 c2 "m 2" h2"#,
        #"p4 true 96.0 c4 "m 4" -"#, #"p5 false 95.0 unknown "" h5"#,
      ])
  }

  @Test func filesThatPruneHasSeenAreCounted() async throws {
    try await run(["ok", "ok", "ok", "ok"])
    for (file, bytes, since) in [
      (Files.path("0"), 10, 10.0), (Files.path("1"), 11, 20), (Files.path("3"), 13, 30),
      ("tables/x", 7, 5),
    ] {
      _ = try await state.retired(file, bytes: bytes, now: since, notes: true)
    }
    try await state.commit()
    var files = StateStore.UnnamedFiles()
    (files.deletable, files.deletableBytes) = (3, 28)
    (files.waiting, files.waitingBytes, files.nextDeletion) = (1, 13, 130)
    #expect(try await state.unnamedFiles(now: 120, grace: 100) == files)
    #expect(try await state.unnamedFiles(now: 100, grace: 100).deletable == 0)
    #expect(try await state.unnamedFiles(now: 100, grace: 100).nextDeletion == 105)
    #expect(try await state.unnamedFiles(now: 1_000, grace: 100).deletableBytes == 41)
    // A note of an earlier version has no size.
    try Database(folder.path("state")).execute(
      "UPDATE retired SET bytes = NULL WHERE path = 'tables/x'")
    #expect(try await state.unnamedFiles(now: 1_000, grace: 100).deletableBytes == 34)
  }
}
