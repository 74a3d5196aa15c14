import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

/// The lines of a catalog are those of the items that were claimed.
@Suite struct ResultLinesTests {
  private static func sum(_ ids: [String]) -> ClaimSum {
    ids.enumerated().reduce(into: ClaimSum()) { $0.add($1.element, at: $1.offset) }
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
      try await lines.forEachBatch { #expect($0.map(\.id) == claimed) }
    } else {
      await #expect(throws: StateError.self) { try await lines.forEachBatch { _ in } }
    }
  }
}
