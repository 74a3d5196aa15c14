import Foundation
import Synchronization
import TesseraBytes
import TesseraCatalog
import TesseraManifest
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraWorkers

/// Whose an output is, and what a run that may not go on says.
@Suite struct OutputOwnerTests {
  typealias Completed = StateStore.CompletedRun

  private static func file(
    _ path: String = "/p/shop.yaml", _ change: (inout PipelineFile) -> Void = { _ in }
  ) -> PipelineFile {
    var file = PipelineFile.example()
    file.path = path
    change(&file)
    return file
  }

  private static let otherPipeline =
    "the output \"out\" holds the catalog of the pipeline \"blog\", which \"shop\" would replace; "
    + "choose another output, or, if the pipeline was renamed or moved, run once with --take-over"

  @Test func theNameOfThePipelineDecides() throws {
    for (last, takesOver, isRejected) in [
      (nil, false, false), (Completed(pipeline: "shop", items: 1), false, false),
      (Completed(pipeline: "blog", items: 1), false, true),
      (Completed(pipeline: "blog", items: 1), true, false),
    ] as [(Completed?, Bool, Bool)] {
      var message: String?
      do {
        _ = try OutputOwner(Self.file(), of: "out", last, takesOver: takesOver)
      } catch {
        message = "\(error)"
      }
      #expect(message == (isRejected ? Self.otherPipeline : nil))
    }
  }

  /// Of two files with one name, the manifest decides: more than half of the items may not be gone.
  @Test func aMovedPipelineHasMostOfTheItems() async throws {
    for (identity, gone, takesOver, isRejected) in [
      (nil, 10, false, false), (SHA256.of("/p/shop.yaml"), 10, false, false),
      ("other", 5, false, false), ("other", 6, false, true), ("other", 6, true, false),
    ] as [(String?, Int, Bool, Bool)] {
      let state = try StateStore(path: "")
      let claims = try ChunkClaims.none
      for items in [0..<10, gone..<10] {
        let run = try await state.beginRun(boot: "")
        _ = try await state.claim(
          items.map { .init(id: "\($0)", line: 1, entry: "\($0)") }, run: run, in: claims)
        if run == 1 { try await state.endRun(1, Completed(pipeline: "shop", items: 10)) }
      }
      let owner = try OutputOwner(
        Self.file(), of: "out", Completed(pipeline: "shop", items: 10, identity: identity),
        takesOver: takesOver)
      var error: (any Error)?
      do { try owner.check(claims) } catch let failure { error = failure }
      #expect((error != nil) == isRejected, "\(identity ?? "-") \(gone)")
    }
  }

  @Test func aPipelineIsKnownByItsPathWithoutLinks() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "shop.yaml")
    let detour = folder.path("..") + "/\(folder.url.lastPathComponent)/shop.yaml"
    let completed = try [path, detour].map { path in
      try OutputOwner(Self.file(path), of: "out", nil, takesOver: false).completed(items: 7)
    }
    let expected = Completed(
      pipeline: "shop", items: 7, identity: SHA256.of(path), addresses: SHA256.of(""))
    #expect(completed == [expected, expected])
  }

  @Test func addressesAreThoseThatAManifestIsRequestedFrom() throws {
    let first = Self.file {
      $0.base = "https://a.example/"
      $0.fetch.rewrites = [.init(from: "x", to: "y"), .init(from: "z", to: "")]
    }
    let completed = try OutputOwner(first, of: "out", nil, takesOver: false).completed(items: 1)
    #expect(completed.addresses == SHA256.of("https://a.example/\nx y\nz "))
    for (last, file, isOther) in [
      (nil, first, false), (completed, first, false), (completed, Self.file(), true),
      (Completed(pipeline: "shop", items: 1), first, false),
    ] as [(Completed?, PipelineFile, Bool)] {
      let owner = try OutputOwner(file, of: "out", last, takesOver: false)
      #expect(owner.hasOtherAddresses == isOther)
    }
  }

  // MARK: Errors

  private static let busy = TesseraError.busy("the output", holder: "7")

  @Test func everyErrorIsASentence() {
    let system = SystemError("open", "x", code: 2)
    let state = StateError(kind: .corrupt, path: "s", message: "odd")
    let cases: [(any Error, String)] = [
      (Self.busy, "another run holds the output (process 7); wait for it, or end it"),
      (state, state.description), (system, system.description),
      (TesseraError(.workers, "none"), "none"),
      (CancellationError(), "stopped by a signal; run the same command again"),
      (TesseraError.manifest(path: "m", reason: "it is odd"), "the manifest \"m\": it is odd"),
      (TesseraError.otherPipeline("blog", of: "shop", output: "out"), Self.otherPipeline),
      (TesseraError.tooManyFailures("f"), "f"),
      (
        TesseraError.lostImages("l", output: "out"),
        "l; if their origin is at fault, wait for it; if the images are really gone, accept it with run --allow-loss"
      ),
      (
        TesseraError.table("odd"),
        "a table could not be made: odd; run again, or remove \"tables\" from the pipeline file"
      ),
      (
        TesseraError.shardOfTables,
        "the pipeline has \"tables\", which are made of all images at once, and --shard processes "
          + "a part of them; run without --shard, or remove \"tables\" from the pipeline file"
      ),
    ]
    for (error, sentence) in cases {
      let error = TesseraError(error)
      #expect(error.description == sentence)
      #expect(error.isBusy == (error.code == .busy))
      #expect(error.isRetryable == [.busy, .stopped, .lostImages].contains(error.code))
    }
    #expect(!TesseraError.twoStates("s", output: "o").isBusy)
    #expect(TesseraError.lost("p").isBusy)
    #expect(TesseraError(state).code == .state && TesseraError(system).subject == "x")
  }

  // MARK: Pipelines

  @Test func theResultOfARunIsItsCatalogOrItsShard() throws {
    var options = RunOptions(workerPath: "w")
    let file = Self.file { $0.output = "out" }
    #expect(Pipeline(file, .everything, options).resultPath == "out/catalog.json")
    #expect(options.shardName == nil)
    options.shard = RunOptions.shard("3/8")
    #expect(options.shardName == "3/8")
    #expect(Pipeline(file, .everything, options).resultPath == "out/shards/8/3.jsonl")
  }

  @Test func anImageServiceNeedsSizesOnly() throws {
    let options = RunOptions(workerPath: "w")
    var file = try DeliveredImageTests.pipeline()
    #expect(Pipeline(file, .everything, options).extent == .layout)
    file.delivery?.makesFiles = true
    #expect(Pipeline(file, .everything, options).extent == .everything)
    #expect(Pipeline(file, .layout, options).extent == .layout)
  }

  @Test func aShardOfTablesIsRejectedFirst() async throws {
    var options = RunOptions(workerPath: "w")
    options.shard = Shard(0, of: 2)
    let file = Self.file {
      $0.output = "/missing/out"
      $0.tables = [.init(slot: "card", scales: [1], pixels: [.grey8])]
    }
    struct Silence: RunObserving {
      func began(_ progress: @escaping @Sendable () -> RunProgress) {}
      func happened(_ event: RunEvent) {}
    }
    let error = await #expect(throws: TesseraError.self) {
      try await Pipeline(file, .everything, options).run(observer: Silence())
    }
    #expect(error?.description == TesseraError.shardOfTables.description)
    // A run of all items makes tables, and finds another fault here.
    options.shard = nil
    let other = await #expect(throws: (any Error).self) {
      try await Pipeline(file, .everything, options).run(observer: Silence())
    }
    #expect(other.map { "\($0)" } != TesseraError.shardOfTables.description)
  }

  @Test func aRunStopsOnlyWhileItemsAreInWork() {
    let stop = RunStop()
    let calls = Mutex(0)
    #expect(!stop.request())
    #expect(!stop.isRequested)
    stop.onRequest { calls.withLock { $0 += 1 } }
    #expect(!stop.isRequested)
    #expect(stop.request())
    #expect(stop.isRequested)
    stop.onRequest(nil)
    #expect(!stop.request())
    #expect(calls.withLock { $0 } == 1)
  }
}
