import Synchronization
import TesseraManifest
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// What a process may still change in a store that another one has taken over: nothing.
@Suite struct StoreFenceTests {
  private static let (catalog, file, lock, clock) = (
    "catalog.json", "variants/ab/cd/x.webp", ".tessera/lock", ".tessera/clock"
  )
  private static let shardLock = ".tessera/shards/8/3/lock"
  private let store: ObjectStore
  private let folder: TemporaryFolder
  private let workspace: Workspace

  init() throws {
    store = try ObjectStore([
      Self.catalog, Self.file, Self.lock, Self.clock, Self.shardLock, "shards/8/3.jsonl",
    ])
    folder = try TemporaryFolder()
    workspace = Workspace(try Directory(folder.path("w"), creates: true), of: "")
    try workspace.clear()
  }

  private func lease(_ shard: Shard? = nil, isLate: Bool = false) -> StoreLease {
    // A clock that stands shows that nothing was renewed in the last seconds.
    let begun = ContinuousClock.now - (isLate ? .seconds(60) : .zero)
    let first = Mutex(true)
    return StoreLease(store.client, ObjectStore.location, shard: shard) {
      isLate
        && first.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        ? begun : .now
    }
  }

  private func output(_ lease: StoreLease) -> ObjectOutput {
    ObjectOutput(ObjectStore.location, store.client, concurrency: 4, lease: lease)
  }

  private func staged(_ text: String) throws -> WorkFile {
    let file = workspace.staging("d")
    try file.open(.write).write(Array(text.utf8))
    return file
  }

  private static let lost =
    "\"s3://feed/out/catalog.json\" was taken over by another run, because this one was not heard "
    + "of for 120 s; run it again"

  /// A process that was stopped right before it sent its catalog finds that of the one that took over.
  @Test(.faults(.s2)) func aCatalogIsReplacedOnlyIfItIsTheOneThatWasRead() async throws {
    store.put("first", at: Self.catalog)
    let lease = lease()
    try await lease.take()
    let output = output(lease)
    _ = try await output.read(Self.catalog, 10, at: 0)
    store.put("of another", at: Self.catalog)
    // What it reads later changes nothing.
    _ = try await output.read(Self.catalog, 10, at: 0)
    let error = await #expect(throws: SystemError.self) {
      try await output.write(Self.catalog, staged: staged("second"))
    }
    #expect(error?.description == Self.lost)
    #expect(error?.isLost == true && error.map { TesseraError($0).isBusy } == true)
    #expect(store.text(Self.catalog) == "of another")
  }

  @Test(.faults(.s2)) func aDocumentIsCreatedOnlyIfItIsStillMissing() async throws {
    let lease = lease()
    try await lease.take()
    let output = output(lease)
    try await output.write(Self.catalog, Array("first".utf8))
    try await output.write(Self.catalog, Array("second".utf8))
    #expect(store.text(Self.catalog) == "second")
    try await output.delete(Self.catalog)
    store.put("of another", at: Self.catalog)
    #expect(
      await errorText { try await output.write(Self.catalog, Array("third".utf8)) } == Self.lost)
    #expect(try await !output.create(Self.catalog, staged: staged("fourth")))
    #expect(store.text(Self.catalog) == "of another")
  }

  /// The lease is renewed first: who has lost it sends nothing, not even what never has other bytes.
  @Test(.faults(.s2)) func whoHasLostTheLeaseSendsNothing() async throws {
    let late = lease(isLate: true)
    try await late.take()
    store.put("{\"holder\":\"other\",\"token\":\"1\"}", at: Self.lock)
    let output = output(late)
    let place = "\"s3://feed/out/.tessera\" was taken over by another run"
    try FileSystem.makeDirectory(folder.path("s"))
    let path = folder.path("s/x")
    try File(path, .create).write([1])
    for change in [
      { try await output.write(Self.catalog, Array("x".utf8)) },
      { try await output.write(Self.catalog, staged: staged("x")) },
      { _ = try await output.create(Self.catalog, staged: staged("x")) },
      { _ = try await output.publish(staged: path, as: Self.file) },
      { try await output.delete(Self.file) },
    ] as [() async throws -> Void] {
      #expect(await errorText(change)?.hasPrefix(place) == true)
    }
    #expect(store.paths == [Self.lock])
  }

  /// A shard that was not heard of loses its lock to the holder of the whole output, although that is another object.
  @Test(.faults(.s2)) func aShardLosesItsLockToTheWhole() async throws {
    let shard = Shard(3, of: 8)
    let late = lease(shard, isLate: true)
    try await late.take()
    store.pass(121)
    let whole = lease()
    try await whole.take()
    #expect(store.paths == [Self.clock, Self.lock])
    #expect(
      await errorText { try await output(late).write("shards/8/3.jsonl", [1]) }?
        .hasPrefix("\"s3://feed/out/.tessera/shards/8/3\" was taken over") == true)
    await whole.release()
  }

  /// Without a lease, as in a store without conditional requests, everything is as it was.
  @Test func withoutALeaseNothingIsFenced() async throws {
    store.ignoreConditions()
    let output = ObjectOutput(ObjectStore.location, store.client, concurrency: 1)
    _ = try? await output.read(Self.catalog, 10, at: 0)
    store.put("of another", at: Self.catalog)
    try await output.write(Self.catalog, Array("second".utf8))
    #expect(store.text(Self.catalog) == "second")
    #expect(store.requests.filter { $0.hasPrefix("HEAD") }.isEmpty)
  }

  // MARK: What killed processes have left

  @Test(.faults(.s5)) func partsOfInterruptedUploadsAreCleared() async throws {
    let paths = [
      "catalog.json", "other.bin", ".tessera/catalogs/x.json", "below/catalog.json",
      ".tessera/shards/8/3/state.sqlite", "shards/8/3.jsonl", "shards/8/30.jsonl",
    ]
    let store = try ObjectStore(paths)
    let output = ObjectOutput(ObjectStore.location, store.client, concurrency: 4)
    for path in paths { store.leaveParts(of: path) }
    try await output.clearUploads(of: Shard(3, of: 8))
    #expect(
      store.partsLeft
        == [
          ".tessera/catalogs/x.json", "below/catalog.json", "catalog.json", "other.bin",
          "shards/8/30.jsonl",
        ])
    try await output.clearUploads(of: nil)
    #expect(store.partsLeft == ["below/catalog.json", "other.bin"])
    store.fail("GET /feed?encoding-type=url&prefix=out%2F&uploads", "403 Forbidden")
    #expect(await errorText { try await output.clearUploads(of: nil) }?.contains("403") == true)
  }
}
