import Foundation
import TesseraManifest
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// The private folder of an output: its state, its parts and its locks.
@Suite struct WorkspaceTests {
  private let folder: TemporaryFolder
  private let workspace: Workspace

  init() throws {
    folder = try TemporaryFolder()
    workspace = Workspace(try Directory(folder.path("w"), creates: true), of: "the output \"o\"")
  }

  private func write(_ names: String...) throws {
    for name in names { try folder.write(name, to: "w/\(name)") }
  }

  @Test func aDamagedStateIsSetAsideWithItsLog() throws {
    try write(
      "state.sqlite", "state.sqlite-wal", "state.sqlite-shm", "state.sqlite.damaged",
      "state.sqlite.damaged-wal", "state.sqlite.damaged-shm", "other")
    #expect(try workspace.setStateAside() == folder.path("w/state.sqlite.damaged"))
    #expect(
      folder.files(below: "w") == ["other", "state.sqlite.damaged", "state.sqlite.damaged-wal"])
    #expect(try folder.text("w/state.sqlite.damaged") == "state.sqlite")
    #expect(try folder.text("w/state.sqlite.damaged-wal") == "state.sqlite-wal")
    #expect(!workspace.hasState)
    // Without a log, that of an earlier one leaves.
    try write("state.sqlite")
    #expect(workspace.hasState)
    _ = try workspace.setStateAside()
    #expect(folder.files(below: "w") == ["other", "state.sqlite.damaged"])
    try write("state.sqlite", "state.sqlite.damaged-wal")
    try workspace.removeDamagedStates()
    #expect(folder.files(below: "w") == ["other", "state.sqlite"])
    #expect(try workspace.statePath() == folder.path("w/state.sqlite"))
  }

  /// The log is written to first.
  @Test func theStateChangesWithItsLog() throws {
    #expect(workspace.stateChange == nil)
    func set(_ name: String, _ time: Double) throws {
      try write(name)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: time)],
        ofItemAtPath: folder.path("w/\(name)"))
    }
    try set("state.sqlite", 1_000)
    #expect(workspace.stateChange == 1_000)
    try set("state.sqlite-wal", 2_000)
    #expect(workspace.stateChange == 2_000)
    try set("state.sqlite", 3_000)
    #expect(workspace.stateChange == 3_000)
  }

  private func part(_ text: String) throws -> Workspace {
    try workspace.part(try #require(Shard(text)))
  }

  @Test func shardsHavePartsOfTheirOwn() throws {
    #expect(try workspace.shardCounts() == [])
    #expect(try workspace.shards().isEmpty)
    let shard = try #require(Shard("3/8"))
    #expect(try workspace.existingPart(shard) == nil)
    for text in ["3/8", "0/8", "1/2"] {
      try folder.write(
        text,
        to: "w/shards/\(text.split(separator: "/").reversed().joined(separator: "/"))/state.sqlite")
    }
    try write("shards/8/9/x", "shards/8/odd/x", "shards/0/0/x", "shards/note/x")
    #expect(Set(try workspace.shardCounts()) == [2, 8])
    let paths = try workspace.shards().map { try $0.statePath() }
    #expect(
      paths.sorted() == ["2/1", "8/0", "8/3"].map { folder.path("w/shards/\($0)/state.sqlite") })
    #expect(try workspace.existingPart(shard)?.statePath() == paths.first { $0.contains("8/3") })
    #expect(try part("5/8").statePath() == folder.path("w/shards/8/5/state.sqlite"))
    #expect(try workspace.existingPart(try #require(Shard("5/8"))) != nil)
  }

  private static func error(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// A process that is just being started has a copy of every descriptor.
  @Test func aLockEndsWhoeverHasItsFileOpen() throws {
    func copies() throws -> [Int32] {
      let manager = FileManager.default
      return try manager.contentsOfDirectory(atPath: "/proc/self/fd").filter {
        (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasSuffix(
          folder.path("w/lock")) == true
      }.compactMap { Int32($0).map { dup($0) } }
    }
    var copied: [Int32] = []
    do {
      let lock = try workspace.lock()
      defer { withExtendedLifetime(lock) {} }
      copied = try copies()
    }
    defer { for descriptor in copied { close(descriptor) } }
    #expect(copied.count == 1)
    #expect(Self.error { _ = try workspace.lock() } == nil)
  }

  /// Shards run beside each other, and not beside a run of the whole.
  @Test func partsShareTheLockOfTheWhole() throws {
    let process = "(process \(ProcessInfo.processInfo.processIdentifier)); wait for it, or end it"
    let (first, second) = (try part("0/2"), try part("1/2"))
    do {
      let one = try first.lock()
      defer { withExtendedLifetime(one) {} }
      let other = try second.lock()
      defer { withExtendedLifetime(other) {} }
      #expect(
        Self.error { _ = try first.lock() }
          == "another run holds shard 0/2 of the output \"o\" \(process)")
      // Several hold it: none of them is named.
      #expect(
        Self.error { _ = try workspace.lock() }
          == "another run holds the output \"o\" (another process); wait for it, or end it")
    }
    do {
      let lock = try workspace.lock()
      defer { withExtendedLifetime(lock) {} }
      #expect(
        Self.error { _ = try first.lock() } == "another run holds the output \"o\" \(process)")
      #expect(try folder.text("w/lock") == "\(ProcessInfo.processInfo.processIdentifier)\n")
    }
    #expect(Self.error { _ = try second.lock() } == nil)
    // The state may say more than the catalog.
    for name in ["w", "w/shards/2/0"] {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path(name))[
        .posixPermissions]
      #expect(mode as? Int == 0o700, "\(name)")
    }
  }

  @Test func whatADeadRunHasLeftIsCleared() throws {
    try write("staging/a", "spool/b", "spool/folder/c", "cache/d", "cache/folder/e", "other")
    try workspace.clear()
    #expect(folder.files(below: "w") == ["cache/d", "other"])
    #expect(!FileManager.default.fileExists(atPath: folder.path("w/cache/folder")))
    // They are made, but for the cache.
    try FileManager.default.removeItem(atPath: folder.path("w"))
    try FileManager.default.createDirectory(
      atPath: folder.path("w"), withIntermediateDirectories: true)
    let other = Workspace(try Directory(folder.path("w")), of: "")
    try other.clear()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("w")).sorted()
        == ["spool", "staging"])
    #expect(other.spoolDirectory == folder.path("w/spool"))
    #expect(try other.cachedDigests() == [])
    #expect(!FileManager.default.fileExists(atPath: folder.path("w/cache")))
  }

  @Test func cachedSourcesAreListedAndRemoved() throws {
    try write("cache/aa", "cache/bb")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000)],
      ofItemAtPath: folder.path("w/cache/aa"))
    #expect(try workspace.cachedDigests().sorted() == ["aa", "bb"])
    let found = try workspace.cachedFiles().sorted { $0.name < $1.name }
    #expect(found.map(\.name) == ["aa", "bb"])
    #expect(found.map(\.size) == [8, 8])
    #expect(found[0].used == 1_000)
    try workspace.removeCached("aa")
    try workspace.removeCached("none")
    #expect(try workspace.cachedDigests() == ["bb"])
  }

  /// The first name, and the first token, stay.
  @Test func aWorkspaceNotesItsOutputAndItsToken() throws {
    #expect(try workspace.outputName(orSet: "s3://a") == nil)
    #expect(try workspace.outputName(orSet: "s3://b") == "s3://a")
    #expect(try folder.text("w/output") == "s3://a")
    #expect(try workspace.leaseToken(orSet: "1") == "1")
    #expect(try workspace.leaseToken(orSet: "2") == "1")
    #expect(try folder.text("w/lease") == "1")
  }
}
