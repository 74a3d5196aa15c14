import Synchronization
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Marks of forgotten images that a state has seen, in a store that says they are missing.
@Suite struct ForgottenWitnessTests {
  private let store: ObjectStore
  private let output: ObjectOutput
  private let document: String

  init() async throws {
    store = try ObjectStore([ForgottenItems.path])
    output = ObjectOutput(ObjectStore.location, store.client, concurrency: 1)
    let folder = try TemporaryFolder()
    let workspace = Workspace(try Directory(folder.path("w"), creates: true), of: "")
    try workspace.clear()
    var marks = ForgottenItems()
    marks.add(ids: ["a"], requests: [])
    try await marks.write(to: output, workspace)
    document = try #require(store.text(ForgottenItems.path))
    store.fail("GET", "404 Not Found")
  }

  /// After so many requests the store has them again.
  private func marks(
    expected isExpected: Bool, missingFor times: Int, _ missing: (() -> Void)? = nil
  ) async throws -> ForgottenItems {
    let waits = Mutex(0)
    return try await ForgottenItems.of(output, isExpected: isExpected, missing: missing) {
      let count = waits.withLock {
        $0 += 1
        return $0
      }
      if count == times { store.fail("GET", nil) }
    }
  }

  @Test(.faults(.s6)) func aStoreThatLacksThemOnceIsNotBelieved() async throws {
    #expect(try await marks(expected: true, missingFor: 2).has(id: "a"))
    // No state has seen any.
    store.fail("GET", "404 Not Found")
    #expect(try await marks(expected: false, missingFor: 0).isEmpty)
  }

  @Test(.faults(.s6)) func marksThatStayMissingStopARun() async throws {
    let text = await errorText { _ = try await marks(expected: true, missingFor: 9) }
    #expect(text?.contains("the marks of forgotten images are missing") == true)
    var isMissing = false
    #expect(try await marks(expected: true, missingFor: 9) { isMissing = true }.isEmpty)
    #expect(isMissing)
  }
}
