import TesseraTestSupport
import Testing

@testable import TesseraPipeline
@testable import TesseraState

/// The lines of a catalog are those of the items that were claimed.
@Suite struct ResultLinesTests {
  private static func sum(_ ids: [String]) -> ClaimSum {
    var sum = ClaimSum()
    sum.add(ids)
    return sum
  }

  /// Another item in the place of one, and two that have changed places: as a damaged index has them.
  @Test(arguments: [(["a", "b", "c"], true), (["a", "b", "b"], false), (["b", "a", "c"], false)])
  func anItemThatWasNotClaimedIsDamage(_ claimed: [String], _ isWhole: Bool) async throws {
    let folder = try TemporaryFolder()
    let state = try StateStore(path: folder.path("state.sqlite"))
    let run = try await state.beginRun(boot: "")
    _ = try await state.claim(
      ["a", "b", "c"].map { StateStore.ClaimRequest(id: $0, line: 1, entry: "e-\($0)") },
      run: run, position: 0)
    for id in ["a", "b", "c"] {
      _ = try await state.save(
        StateStore.ItemResult(
          id: id, line: "{}", status: "ok", reasons: [], content: nil, inputs: nil))
    }
    let lines = ResultLines(state: state, run: run, count: 3, sum: Self.sum(claimed))
    if isWhole {
      try await lines.forEachResults { #expect($0.map(\.id) == claimed) }
    } else {
      await #expect(throws: StateError.self) { try await lines.forEachBatch { _ in } }
    }
  }

  /// A row that says that the run has had an item would drop it as a repeated one.
  @Test(arguments: [
    // Where another item is, behind it, and where none is; on another line; and not in the index.
    "UPDATE items SET stretch = 2, place = 0 WHERE id = 'b'",
    "UPDATE items SET stretch = 2, place = 1 WHERE id = 'b'",
    "UPDATE items SET stretch = 2, place = 7 WHERE id = 'b'",
    "UPDATE items SET stretch = 2, line = 9 WHERE id = 'b'",
    "UPDATE stretches SET run = 2 WHERE number = 1",
    "UPDATE stretches SET position = 1 WHERE number = 2",
    "DELETE FROM stretches WHERE number = 2", "DELETE FROM items WHERE id = 'a'",
  ])
  func anItemThatTheRunHasNotHadIsDamage(_ change: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state.sqlite")
    let state = try StateStore(path: path)
    let request = { StateStore.ClaimRequest(id: $0, line: 1, entry: $0) }
    let ids = ["a", "b", "c"]
    _ = try await state.claim(ids.map(request), run: 1, position: 0)
    for id in ids {
      _ = try await state.save(
        .init(id: id, line: "{}", status: "ok", reasons: [], content: nil, inputs: nil))
    }
    await #expect(throws: StateError.self) {
      var (sum, count) = (ClaimSum(), 0)
      for id in ids {
        if try await state.claim([request(id)], run: 2, position: count) == [.new] {
          sum.add([id], at: count)
          count += 1
        }
        try await state.commit()
        if id == "a" { try Database(path).execute(change) }
      }
      try await ResultLines(state: state, run: 2, count: count, sum: sum).forEachBatch { _ in }
    }
  }
}
