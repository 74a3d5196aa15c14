import Foundation
import TesseraManifest
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// States that are kept in the store of their output.
@Suite struct StoredStateTests {
  private static let (state, damaged, shard, shardDamaged) = (
    ".tessera/state.sqlite", ".tessera/state.sqlite.damaged",
    ".tessera/shards/8/3/state.sqlite", ".tessera/shards/8/3/state.sqlite.damaged"
  )
  private let store: ObjectStore
  private let folder: TemporaryFolder
  private let workspace: Workspace

  init() throws {
    store = try ObjectStore([
      Self.state, Self.damaged, Self.shard, Self.shardDamaged, ".tessera/lock",
      ".tessera/shards/8/3/lock",
    ])
    folder = try TemporaryFolder()
    workspace = Workspace(try Directory(folder.path("w"), creates: true), of: "")
  }

  private func write(_ text: String, _ name: String = "state.sqlite") throws {
    try folder.write(text, to: "w/\(name)")
  }

  private func stored(_ shard: Int? = nil) -> StoredState {
    StoredState(store.client, ObjectStore.location, shard: shard.flatMap { Shard($0, of: 8) })
  }

  @Test func aStateIsReadAndWrittenAsAWhole() async throws {
    let state = stored()
    try write("left")
    try await state.read(to: workspace.stateFile)
    // There was none: no file of another one is left.
    #expect(!workspace.hasState)
    #expect(state.changed == 0)
    try write("one")
    try await state.write(workspace.stateFile)
    #expect(store.text(Self.state) == "one")
    #expect(store[Self.state]?.type == "application/vnd.sqlite3")
    #expect(store[Self.state]?.caching == "no-store")
    try write("two")
    try await state.write(workspace.stateFile)
    #expect(store.text(Self.state) == "two")
    store.pass(5)
    let next = stored()
    try await next.read(to: workspace.stateCopy)
    #expect(try folder.text("w/state.sqlite.copy") == "two")
    #expect(next.changed == 1_767_268_800)
    // A shard has its own.
    try await stored(3).write(workspace.stateFile)
    #expect(store.paths == [Self.shard, Self.state])
    #expect(StoredState.folder(of: nil) == ".tessera")
  }

  /// A process that was replaced overwrites no state of its successor.
  @Test func aStateIsNotWrittenOverAnothers() async throws {
    let (first, second) = (stored(), stored())
    try await first.read(to: workspace.stateFile)
    try write("second")
    try await second.write(workspace.stateFile)
    try write("first")
    #expect(
      await errorText { try await first.write(workspace.stateFile) } == ObjectStore.lost(".tessera")
    )
    #expect(store.text(Self.state) == "second")
    try await first.read(to: workspace.stateCopy)
    try await first.write(workspace.stateFile)
    try write("third")
    #expect(
      await errorText { try await second.write(workspace.stateFile) }
        == ObjectStore.lost(".tessera"))
    store.fail("PUT", "403 Forbidden")
    let text = await errorText { try await first.write(workspace.stateFile) }
    #expect(text?.contains("was rejected") == true)
    store.fail("HEAD", "403 Forbidden")
    #expect(await errorText { try await first.read(to: workspace.stateFile) } != nil)
    #expect(!workspace.hasState)
  }

  @Test func aDamagedStateIsKeptBesideTheNewOne() async throws {
    for text in ["one", "two"] {
      try write(text, "state.sqlite.damaged")
      #expect(
        try await stored().keepDamaged(workspace.damagedState)
          == "s3://feed/out/.tessera/state.sqlite.damaged")
      #expect(store.text(Self.damaged) == text)
    }
    #expect(
      try await stored(3).keepDamaged(workspace.damagedState)
        == "s3://feed/out/.tessera/shards/8/3/state.sqlite.damaged")
  }

  /// What is larger than a part is written in parts, and read in parts.
  @Test func largeStatesAreWrittenInParts() async throws {
    let part = StoreClient.partBytes
    let bytes = [UInt8]((0..<256).map { UInt8($0) })
    let whole = [UInt8](repeating: 7, count: part - 256) + bytes
    for (extra, requests) in [(0, 1), (1, 4)] {
      let state = stored()
      try await state.read(to: workspace.stateCopy)
      try workspace.stateFile.open(.write).write(whole + [UInt8](repeating: 9, count: extra))
      let before = store.requests.count
      try await state.write(workspace.stateFile)
      let writes = store.requests.dropFirst(before).filter { !$0.hasPrefix("HEAD") }
      #expect(writes.count == requests)
      #expect(store[Self.state]?.bytes == whole + [UInt8](repeating: 9, count: extra))
      try await stored().read(to: workspace.stateCopy)
      #expect(try workspace.stateCopy.sha256() == workspace.stateFile.sha256())
      // The next write replaces this one.
      try workspace.stateFile.open(.write).write([1])
      try await state.write(workspace.stateFile)
    }
  }
}
