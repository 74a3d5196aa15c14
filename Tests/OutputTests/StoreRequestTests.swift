import Foundation
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// What a run that changes nothing requests of a store: each request costs time and money.
@Suite struct StoreRequestTests {
  private let store: ObjectStore

  init() throws {
    store = try ObjectStore([
      "catalog.json", "run.json", ".tessera/lock",
      ".tessera/state.sqlite", ".tessera/forgotten.json", ".tessera/runs.jsonl",
      ".tessera/catalogs/list.json",
    ])
  }

  private static let uses: [(use: String, requests: [String])] = [
    (
      "the lock, and whether the store looks at conditions",
      ["PUT .tessera/lock", "PUT .tessera/lock", "GET .tessera/shards/"]
    ),
    ("the state", ["HEAD .tessera/state.sqlite", "GET .tessera/state.sqlite"]),
    ("what killed processes have left", ["GET &uploads="]),
    ("the marks of forgotten images", ["GET .tessera/forgotten.json"]),
    (
      "for which marks all documents are right, and which catalogs are kept",
      ["GET .tessera/catalogs/list.json"]
    ),
    ("the current catalog", ["HEAD catalog.json", "GET catalog.json"]),
    ("the marks right before readers see it", ["GET .tessera/forgotten.json"]),
    ("its companions", ["GET screens/"]),
    ("the catalog", ["PUT catalog.json"]),
    ("what is not kept any more", ["GET .tessera/catalogs/"]),
    ("the marks right after it", ["GET .tessera/forgotten.json"]),
    ("the marks before the report", ["GET .tessera/forgotten.json"]),
    ("the report, on the condition that it is the same", ["HEAD run.json", "PUT run.json"]),
    ("the marks right after it", ["GET .tessera/forgotten.json"]),
    ("the state", ["PUT .tessera/state.sqlite"]),
    ("the history", ["GET .tessera/runs.jsonl", "PUT .tessera/runs.jsonl"]),
    ("the lock's end", ["GET .tessera/lock", "DELETE .tessera/lock"]),
  ]

  @Test func eachRequestOfAnUnchangedRunHasAUse() async throws {
    try await publish()
    let before = store.requests.count
    let start = ContinuousClock.now
    try await publish()
    var requests = store.requests.dropFirst(before).map(Self.shortened)
    // Each ten seconds the lock is renewed, which happens on a busy machine.
    var renewals = Int(start.duration(to: .now) / .seconds(10))
    while renewals > 0, requests.count > Self.uses.flatMap(\.requests).count,
      let place = requests.lastIndex(of: "PUT .tessera/lock")
    {
      requests.remove(at: place)
      renewals -= 1
    }
    #expect(requests == Self.uses.flatMap(\.requests))
  }

  /// As a run does it.
  private func publish() async throws {
    let held = try await store.open().hold()
    try await held.prepare()
    var draft = try await CatalogDraft(
      head: Array(MemoryCatalogs.head().utf8), count: 1,
      through: LineGate(of: held.output), in: held.workspace)
    try draft.add(Array(MemoryCatalogs.image("a").utf8))
    try await draft.publish(keeping: CatalogRetention(count: 3, age: 1_000), now: 0)
    try await LineGate(of: held.output).publishReport(
      Array("{}".utf8), as: "run.json", held.workspace)
    try await held.keepingState(
      copy: { try Data("state".utf8).write(to: URL(filePath: $0)) }, work: {})
    let history = try await held.runHistory()
    try await held.note(HistoryEntry(.run, ended: 1, seconds: 1, .done), after: history)
    await held.release()
  }

  /// Without what is the same in all.
  private static func shortened(_ request: String) -> String {
    request.replacing(/\/feed.*out(\/|%2F)/, with: "").replacing("%2F", with: "/")
  }
}
