import Foundation
import TesseraManifest
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// States that are read beside runs, and outputs that are held.
@Suite struct ReadableStateTests {
  private let folder: TemporaryFolder
  // Nothing listens there.
  private let store = StoreSettings(endpoint: "http://127.0.0.1:1", environment: { _ in nil })

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ time: Double) throws {
    try folder.write(name, to: name)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: folder.path(name))
  }

  private var everything: [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: folder.path("")))?.sorted() ?? []
  }

  /// Reading makes no output, no workspace and no state.
  @Test(arguments: ["out", "s3://feed/out"])
  func nothingIsCreated(_ path: String) async throws {
    let isHere = path == "out"
    let place = isHere ? folder.path(path) : path
    func read() async throws -> ReadableState? {
      try await OpenOutput.readableState(
        of: place, isHere ? nil : folder.path("state"), store)
    }
    #expect(try await read() == nil)
    #expect(everything == [])
    // An output without a private folder, and one without a state.
    for name in isHere ? ["out/catalog.json", "out/.tessera/lock"] : ["state/lock"] {
      try folder.write("", to: name)
      let before = everything
      #expect(try await read() == nil)
      #expect(everything == before)
    }
    try write(isHere ? "out/.tessera/state.sqlite" : "state/state.sqlite", 1_000)
    let before = everything
    let state = try #require(try await read())
    #expect(state.path.hasPrefix(folder.path("")) && state.path.hasSuffix("/state.sqlite"))
    #expect(state.changed == 1_000)
    #expect(everything == before)
  }

  /// What `forEachState` finds: the shard, the bytes and the text of each state.
  private static func states(_ output: OpenOutput) async throws -> [String] {
    var found: [String] = []
    var places: [String] = []
    try await output.forEachState { state, bytes, shard in
      let text = try String(contentsOfFile: state.path, encoding: .utf8)
      found.append("\(shard?.description ?? "all") \(bytes) \(text)")
      // Of a store, one copy is there at a time.
      #expect(places.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
      if state.path.hasPrefix(FileSystem.temporaryDirectory), output.output is ObjectOutput {
        places.append(state.path)
      }
    }
    #expect(places.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
    return found
  }

  @Test func eachStateIsFoundWhereverItIs() async throws {
    let parts = [("", "whole"), ("shards/8/3/", "a"), ("shards/8/4/", "bb"), ("shards/2/1/", "c")]
    let objects = try ObjectStore(parts.map { ".tessera/\($0.0)state.sqlite" })
    #expect(try await Self.states(objects.open()) == [])
    for (part, text) in parts {
      try folder.write(text, to: "out/.tessera/\(part)state.sqlite")
      try folder.write(text, to: "state/\(part)state.sqlite")
      objects.put(text, at: ".tessera/\(part)state.sqlite")
    }
    // A log counts, too.
    try folder.write("xyz", to: "out/.tessera/shards/8/3/state.sqlite-wal")
    let found = ["all 5 whole", "1/2 1 c", "3/8 1 a", "4/8 2 bb"]
    #expect(try await Self.states(objects.open()) == found)
    let beside = try OpenOutput("s3://feed/out", state: folder.path("state"), store, creates: false)
    #expect(try await Self.states(beside).sorted() == found.sorted())
    let here = try await Self.states(OpenOutput(folder.path("out"), creates: false))
    #expect(here.sorted() == ["1/2 1 c", "3/8 4 a", "4/8 2 bb", "all 5 whole"])
    #expect(here.first == "all 5 whole")
    #expect(try await Self.states(OpenOutput(folder.path("new"))) == [])
  }

  /// The state of runs of all items, and those of one shard for each number of shards.
  @Test(arguments: ["out/.tessera", "state"])
  func theNewestStateIsTheFirst(_ root: String) async throws {
    for (name, time) in [
      ("state.sqlite", 2_000.0), ("shards/8/3/state.sqlite", 3_000),
      ("shards/8/4/state.sqlite", 9_000), ("shards/2/1/state.sqlite", 1_000),
      ("shards/4/1/lock", 5_000),
    ] {
      try write("\(root)/\(name)", time)
    }
    let output =
      root == "state"
      ? try OpenOutput("s3://feed/out", state: folder.path(root), store)
      : try OpenOutput(folder.path("out"), creates: false)
    func states(_ shard: (Int) -> Shard?) async throws -> [String] {
      try await output.readableStates(shard).map {
        String($0.path.dropFirst(folder.path(root).count + 1))
      }
    }
    let shards: (Int) -> Shard? = {
      [8: Shard(3, of: 8), 2: Shard(1, of: 2), 4: Shard(1, of: 4)][$0] ?? nil
    }
    #expect(
      try await states(shards) == [
        "shards/8/3/state.sqlite", "state.sqlite", "shards/2/1/state.sqlite",
      ])
    #expect(try await states { _ in nil } == ["state.sqlite"])
    // Not that of a shard, although it is newer.
    let whole = try await OpenOutput.readableState(
      of: root == "state" ? "s3://feed/out" : folder.path("out"), folder.path(root), store)
    #expect(whole?.path == folder.path("\(root)/state.sqlite"))
    try write("\(root)/shards/2/1/state.sqlite-wal", 4_000)
    #expect(
      try await states(shards) == [
        "shards/2/1/state.sqlite", "shards/8/3/state.sqlite", "state.sqlite",
      ])
    try FileManager.default.removeItem(atPath: folder.path("\(root)/state.sqlite"))
    #expect(
      try await states(shards) == ["shards/2/1/state.sqlite", "shards/8/3/state.sqlite"])
    #expect(try await states { _ in nil } == [])
  }

  // MARK: Held outputs

  private func open() throws -> OpenOutput { try OpenOutput(folder.path("out")) }

  @Test func anOutputIsHeldUntilItIsReleased() async throws {
    let held = try await open().hold()
    let error = await #expect(throws: TesseraError.self) { _ = try await open().hold() }
    #expect(error?.isBusy == true)
    #expect(error?.description.contains("holds the output \"\(folder.path("out"))\"") == true)
    // It needs no renewal, and no copies of its state.
    try await held.confirm()
    struct Failure: Error {}
    #expect(try await held.keepingState(copy: { _ in throw Failure() }, work: { 7 }) == 7)
    #expect(try await held.keepingLock { 8 } == 8)
    await #expect(throws: Failure.self) { try await held.keepingLock { throw Failure() } }
    await held.release()
    let shards = (
      try await open().hold(Shard(0, of: 2)), try await open().hold(Shard(1, of: 2))
    )
    await #expect(throws: TesseraError.self) { _ = try await open().hold() }
    #expect(
      try shards.1.workspace.statePath() == folder.path("out/.tessera/shards/2/1/state.sqlite"))
    await shards.0.release()
    await shards.1.release()
    await (try await open().hold()).release()
    #expect(throws: SystemError.self) { try OpenOutput(folder.path("none"), creates: false) }
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }

  @Test func statesOfShardsAreThoseOfTheOutput() async throws {
    let held = try await open().hold()
    #expect(try held.workspaces().count == 1)
    #expect(try await held.shardStates().isEmpty)
    for name in [
      "state.sqlite", "state.sqlite.damaged", "shards/2/1/state.sqlite",
      "shards/2/1/state.sqlite.damaged", "shards/2/0/lock",
    ] {
      try folder.write(name, to: "out/.tessera/\(name)")
    }
    #expect(try held.workspaces().count == 3)
    let states = try await held.shardStates()
    #expect(states.map(\.path) == [folder.path("out/.tessera/shards/2/1/state.sqlite")])
    for state in states { try await state.save() }
    try await held.removeDamagedStates()
    #expect(everything.filter { $0.contains("damaged") } == [])
    #expect(try folder.text("out/.tessera/shards/2/1/state.sqlite") == "shards/2/1/state.sqlite")
    let aside = try await held.setStateAside()
    #expect(aside.path == folder.path("out/.tessera/state.sqlite.damaged"))
    #expect(aside.name == aside.path)
    await held.release()
  }
}
