import TesseraBytes
import TesseraManifest
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraWorkers
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline

/// Bytes of sources that are kept for other items, and for later runs.
@Suite struct CopiesTests {
  private let run: RunInMemory
  private let queue = KeyedQueue()
  private let bytes = TinyImage.webp(300, 200, "photo")

  init() throws { run = try RunInMemory() }

  private var copies: RunCopies { RunCopies(of: queue, in: run.workspace) }

  private func spool(_ name: String, _ text: String = "bytes") throws -> WorkFile {
    let file = run.workspace.spool(name)
    try file.open(.write).write(Array(text.utf8))
    return file
  }

  private func text(_ file: WorkFile) -> String? {
    (try? file.open(.read).read(1_000, at: 0)).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: For items of this run

  @Test func aCopyIsKeptWhileAnItemWaits() throws {
    let copies = copies
    let first = queue.place("k")
    let file = try spool("1")
    #expect(!copies.isWanted("k"))
    copies.keep(file, as: "d", of: "k")
    #expect(!copies.has("d", of: "k"))
    let second = queue.place("k")
    #expect(copies.isWanted("k") && !copies.isWanted("other"))
    copies.keep(file, as: "d", of: "k")
    #expect(copies.has("d", of: "k"))
    #expect(!copies.has("e", of: "k") && !copies.has("d", of: "other"))
    // One copy is enough.
    #expect(!copies.isWanted("k"))
    #expect(text(file) == "bytes")
    let target = run.workspace.spool("2")
    #expect(!copies.restore("e", of: "k", to: target))
    #expect(!copies.restore("d", of: "other", to: target))
    #expect(target.size == nil)
    #expect(copies.restore("d", of: "k", to: target))
    #expect(text(target) == "bytes")
    // A second name of the same file: it cannot be given twice.
    #expect(!copies.restore("d", of: "k", to: target))
    copies.release("k")
    #expect(copies.has("d", of: "k"), "an item still waits")
    queue.leave(first)
    copies.release("k")
    #expect(!copies.has("d", of: "k"))
    #expect(run.workspace.spool("copy-k").size == nil)
    queue.leave(second)
  }

  @Test func theSpoolHasAtMostThirtyTwoCopies() throws {
    let copies = copies
    let file = try spool("1")
    for number in 0..<40 {
      _ = (queue.place("\(number)"), queue.place("\(number)"))
      #expect(copies.isWanted("\(number)") == (number < 32))
      copies.keep(file, as: "d", of: "\(number)")
    }
    #expect((0..<40).count { copies.has("d", of: "\($0)") } == 32)
  }

  @Test func whatCannotBeKeptIsNotMissed() throws {
    let copies = copies
    _ = (queue.place("k"), queue.place("k"))
    copies.keep(run.workspace.spool("missing"), as: "d", of: "k")
    #expect(!copies.has("d", of: "k"))
  }

  // MARK: For items and runs

  private func sourceCopies(limit: Int? = 1_000_000) throws -> SourceCopies {
    SourceCopies(
      run: copies, cache: try limit.map { try SourceCache(in: run.workspace, limit: $0) },
      acceptance: Acceptance(run.file), workspace: run.workspace)
  }

  private var item: Item {
    Item(
      ManifestEntry(line: 1, id: "a", url: "https://img.example/a"), position: 3, run.file.fetch)
  }

  private func source(_ change: (inout KnownSource) -> Void = { _ in }) -> KnownSource {
    var source = KnownSource()
    source.record = SourceRecord(content: SHA256.of(bytes), confirmation: .stale())
    source.content = .example()
    change(&source)
    return source
  }

  private func sourceBytes(inMemory: Bool) throws -> SourceBytes {
    let place: JobSource.Bytes
    if inMemory {
      place = .memory(bytes)
    } else {
      try run.workspace.spool("3").open(.write).write(bytes)
      place = .file(path: run.workspace.spool("3").path)
    }
    return SourceBytes(
      place: place, count: bytes.count, digest: SHA256.of(bytes), content: .example(),
      response: .example())
  }

  @Test(arguments: [true, false]) func keptBytesComeBack(_ inMemory: Bool) throws {
    let copies = try sourceCopies()
    #expect(!copies.has(source(), of: item))
    #expect(copies.restore(source(), for: ItemContext(item)) == nil)
    copies.keep(try sourceBytes(inMemory: inMemory), of: item)
    // The spooled file stays, and none is left of what was in memory.
    #expect((run.workspace.spool("3").size != nil) == !inMemory)
    try run.workspace.spool("3").remove()
    #expect(copies.has(source(), of: item))
    let context = ItemContext(item)
    let restored = try #require(copies.restore(source(), for: context))
    #expect((restored.count, restored.digest) == (bytes.count, SHA256.of(bytes)))
    #expect(restored.content == .example() && restored.response == nil)
    guard case .file(let path) = restored.place else {
      Issue.record("it is not in a file")
      return
    }
    #expect(path == run.workspace.spool("3").path)
    #expect(try FileSystem.read(path, limit: 1_000) == bytes)
    #expect(context.reasons == [.keptCopy])
    context.close()
    #expect(run.workspace.spool("3").size == nil)
    // What is not known, or not accepted any more, has no usable copy.
    for useless in [
      source { $0.record = nil }, source { $0.content = nil },
      source { $0.record?.content = "other" }, source { $0.content?.format = "tiff2" },
    ] {
      #expect(!copies.has(useless, of: item))
      #expect(copies.restore(useless, for: ItemContext(item)) == nil)
    }
  }

  /// A copy is written only for an item that waits for it.
  @Test func withoutACacheOnlyWaitingItemsGetACopy() throws {
    let copies = try sourceCopies(limit: nil)
    copies.keep(try sourceBytes(inMemory: true), of: item)
    #expect(!copies.has(source(), of: item))
    _ = (queue.place(item.sourceKey), queue.place(item.sourceKey))
    copies.keep(try sourceBytes(inMemory: true), of: item)
    #expect(copies.has(source(), of: item))
    #expect(run.workspace.spool("3").size == nil)
    #expect(copies.restore(source(), for: ItemContext(item))?.count == bytes.count)
  }
}
