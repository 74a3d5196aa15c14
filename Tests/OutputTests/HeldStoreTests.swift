import Foundation
import TesseraManifest
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Outputs in a store that are held, with their state in the store or on this machine.
@Suite struct HeldStoreTests {
  private static let (state, damaged, shard, shardDamaged) = (
    ".tessera/state.sqlite", ".tessera/state.sqlite.damaged",
    ".tessera/shards/8/3/state.sqlite", ".tessera/shards/8/3/state.sqlite.damaged"
  )
  private static let (clock, elsewhere) = (".tessera/clock", ".tessera/states/4711.json")
  private let store: ObjectStore
  private let folder: TemporaryFolder

  init() throws {
    store = try ObjectStore([
      Self.state, Self.damaged, Self.shard, Self.shardDamaged, ".tessera/lock",
      ".tessera/shards/8/3/lock", Self.clock, Self.elsewhere,
    ])
    folder = try TemporaryFolder()
  }

  @Test func theStateOfAHeldOutputGoesBackAtTheEnd() async throws {
    store.put("before", at: Self.state)
    let held = try await store.open().hold()
    #expect(
      try held.workspace.statePath().hasSuffix("/state.sqlite") && held.workspace.hasState)
    #expect(
      await errorText { _ = try await store.open().hold() }?.hasPrefix("another run holds") == true
    )
    let path = try held.workspace.statePath()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
    let value = try await held.keepingState(
      copy: { try Data("after".utf8).write(to: URL(filePath: $0)) }, work: { 7 })
    #expect(value == 7)
    #expect(store.text(Self.state) == "after")
    #expect(held.workspace.stateCopy.size == nil)
    #expect(try await held.keepingLock { 8 } == 8)
    await held.release()
    #expect(store.paths == [Self.clock, Self.state])
    await (try await store.open().hold()).release()
  }

  /// What failed work has done is kept, too; its error matters more than another one.
  @Test func anErrorOfTheWorkMattersMost() async throws {
    let held = try await store.open().hold()
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await held.keepingState(
        copy: { try Data("failed".utf8).write(to: URL(filePath: $0)) }, work: { throw Failure() })
    }
    #expect(store.text(Self.state) == "failed")
    store.put("others", at: Self.state)
    await #expect(throws: Failure.self) {
      try await held.keepingState(
        copy: { try Data("x".utf8).write(to: URL(filePath: $0)) }, work: { throw Failure() })
    }
    let text = await errorText {
      try await held.keepingState(
        copy: { try Data("x".utf8).write(to: URL(filePath: $0)) }, work: {})
    }
    #expect(text == ObjectStore.lost(".tessera"))
    #expect(store.text(Self.state) == "others")
    await #expect(throws: Failure.self) {
      try await held.keepingState(copy: { _ in throw Failure() }, work: {})
    }
    await held.release()
  }

  @Test func aStateThatCannotBeReadReleasesTheLock() async throws {
    store.fail("HEAD", "403 Forbidden")
    #expect(await errorText { _ = try await store.open().hold() } != nil)
    #expect(store.paths == [])
  }

  @Test func aDamagedStateLeavesTheHeldOutput() async throws {
    store.put("whole", at: Self.state)
    store.put("shard", at: Self.shard)
    store.put("old", at: Self.shardDamaged)
    let held = try await store.open().hold()
    let aside = try await held.setStateAside()
    #expect(aside.path.hasSuffix("/state.sqlite.damaged"))
    #expect(aside.name == "s3://feed/out/.tessera/state.sqlite.damaged")
    #expect(store.text(Self.damaged) == "whole")
    let states = try await held.shardStates()
    #expect(try states.map { try String(contentsOfFile: $0.path, encoding: .utf8) } == ["shard"])
    try Data("new".utf8).write(to: URL(filePath: states[0].path))
    try await states[0].save()
    #expect(store.text(Self.shard) == "new")
    try Data("newer".utf8).write(to: URL(filePath: states[0].path))
    #expect(
      await errorText { try await states[0].save() }
        == ObjectStore.lost(".tessera/shards/8/3/state.sqlite"))
    try await held.removeDamagedStates()
    await held.release()
    #expect(store.paths == [Self.shard, Self.state])
  }

  /// With its state on this machine, an output in a store has its lock there all the same.
  @Test(.faults(.s6)) func anOutputWithItsStateHereHasALockInTheStore() async throws {
    let directory = folder.path("state")
    try folder.write("4711", to: "state/lease")
    let held = try await store.open(state: directory).hold()
    #expect(store.paths == [".tessera/lock", Self.elsewhere])
    #expect(try folder.text("state/output") == "s3://feed/out")
    let token = try folder.text("state/lease") + " \(Host.name)"
    #expect(store.text(".tessera/lock")?.contains("\"token\":\"\(token)\"") == true)
    #expect(try await held.keepingState(copy: { _ in }, work: { 7 }) == 7)
    #expect(try await held.setStateAsideOfNone())
    // Its own is none of the others.
    #expect(try await held.statesElsewhere().isEmpty)
    await held.release()
    #expect(store.paths == [Self.elsewhere])
    let other = StatesElsewhere(in: try store.open().output)
    #expect(try await other.all(but: "1") == ["\"\(directory)\" on \(Host.name)"])
    // One that a dead process with this state has left is this one's at once; another's is not.
    store.put("{\"holder\":\"dead\",\"token\":\"\(token)\"}", at: ".tessera/lock")
    await (try await store.open(state: directory).hold()).release()
    store.put("{\"holder\":\"other\",\"token\":\"1\"}", at: ".tessera/lock")
    #expect(
      await errorText { _ = try await store.open(state: directory).hold() }
        == "another run holds \"s3://feed/out/.tessera\" (other, last heard of 0 s ago); wait for "
        + "it, or "
        + "end it: 120 s after its end it is forgotten")
    store.ignoreConditions()
    await (try await store.open(state: directory).hold()).release()
    store.put("x", at: Self.state)
    #expect(
      await errorText { _ = try await store.open(state: directory).hold() }
        == "the output \"s3://feed/out\" has a state in its store, which \"\(directory)\" does "
        + "not know; "
        + "remove \"state\" from the pipeline file")
  }

  @Test func placesInStoresAreRecognized() {
    for (path, isInStore) in [("s3://a/b", true), ("s3://a", true), ("a", false), ("", false)] {
      #expect(OpenOutput.isInStore(path) == isInStore)
    }
  }

  // MARK: States to read

  private func names(_ states: [ReadableState]) throws -> [String] {
    try states.map { try String(contentsOfFile: $0.path, encoding: .utf8) }
  }

  @Test func storedStatesAreReadTheNewestFirst() async throws {
    _ = try store.open()
    #expect(try await OpenOutput.readableState(of: "s3://feed/out", nil, store.settings) == nil)
    let first = Shard(3, of: 8)
    #expect(try await store.open().readableStates { _ in first }.isEmpty)
    store.put("whole", at: Self.state)
    store.pass(5)
    store.put("shard", at: Self.shard)
    var counts: [Int] = []
    let states = try await store.open().readableStates { count in
      counts.append(count)
      return first
    }
    #expect(try names(states) == ["shard", "whole"])
    #expect(counts == [8])
    #expect(try names(try await store.open().readableStates { _ in nil }) == ["whole"])
    store.pass(5)
    store.put("newer", at: Self.state)
    #expect(try names(try await store.open().readableStates { _ in first }) == ["newer", "shard"])
    let one = try await OpenOutput.readableState(of: "s3://feed/out", nil, store.settings)
    #expect(try names(one.map { [$0] } ?? []) == ["newer"])
    #expect(store.paths == [Self.shard, Self.state])
  }
}

extension HeldOutput {
  /// Sets an empty state aside.
  fileprivate func setStateAsideOfNone() async throws -> Bool {
    try workspace.stateFile.open(.write).write([])
    let aside = try await setStateAside()
    return aside.path == aside.name && !workspace.hasState
  }
}
