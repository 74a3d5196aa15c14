import TesseraCatalog
import TesseraManifest
import TesseraMemoryOutput
import TesseraNet
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// An image that is forgotten before, while and after runs of all kinds is in none of their documents.
@Suite struct ForgottenRunTests {
  private static let secret = ForgottenImage.id
  private static let names = ["a", "b", secret, "c"]

  private enum Writer: String, CaseIterable, CustomStringConvertible {
    case run, unchanged, screens, only, onlyFailed, upgrade, shard
    var description: String { rawValue }

    /// The manifest of the run that is watched.
    var manifest: [String] {
      self == .unchanged || self == .onlyFailed ? names : names + ["new"]
    }

    func options(_ options: inout RunOptions) {
      switch self {
      case .only: options.selection = RunSelection(ids: ["b", "new"], refreshes: true)
      case .onlyFailed: options.selection = RunSelection(onlyFailed: true)
      case .shard: options.shard = Shard(0, of: 1)
      case .run, .unchanged, .screens, .upgrade: break
      }
    }
  }

  private static func lines(_ names: [String]) -> [String] {
    names.map { #"{"id":"\#($0)","url":"\#(RunInMemory.url($0))"}"# }
  }

  /// An output with the image, in a catalog and in one that is kept.
  private static func begun(_ writer: Writer) async throws -> RunInMemory {
    var run = try RunInMemory()
    run.output.hasMark = true
    for (place, name) in (names + ["new"]).enumerated() where name != "c" {
      run.serve(
        name, .image(TinyImage.webp(200 + place, 80, name), etag: "\"1\"", freshFor: 86_400))
    }
    run.file.lostAbove = 100
    switch writer {
    case .screens:
      run.file.screens = [
        CatalogScreen(name: "feed", selection: .init(slots: ["card"]), first: 2, part: 2)
      ]
      run.file.catalogChanges = 2
    case .upgrade:
      run.file.plan.formats = [.fixed(.png)]
      run.file.upgrade = Upgrade(format: .webp, budget: .seconds(60))
    default: break
    }
    run.serve(
      "c",
      writer == .onlyFailed
        ? .failure(FetchError(.network, "no connection", isRetryable: true))
        : .image(TinyImage.webp(90, 80, "c"), etag: "\"1\"", freshFor: 86_400))
    _ = try await run.wholeRun(lines(Array(names.dropLast())))
    _ = try await run.wholeRun(lines(names))
    return run
  }

  /// Documents with the image.
  private static func found(_ run: RunInMemory) -> [String] {
    ForgottenImage.documents(in: run.output)
  }

  private static func write(
    _ writer: Writer, _ run: RunInMemory, to output: (any Output)? = nil
  ) async throws {
    _ = try await run.wholeRun(lines(writer.manifest), to: output) { writer.options(&$0) }
  }

  /// A `forget` happens before each change that a run makes, which has begun before.
  @Test(.faults(.p9), .takesSeconds, arguments: Writer.allCases)
  private func whatIsForgottenMeanwhileIsInNoDocument(_ writer: Writer) async throws {
    var moments = 0
    while true {
      let run = try await Self.begun(writer)
      let memory = run.output
      let interrupted = InterruptedOutput(memory, before: moments + 1) {
        () async throws(SystemError) in try await ForgottenImage.forget(from: memory)
      }
      let result: Result<Void, any Error>
      do { result = .success(try await Self.write(writer, run, to: interrupted)) } catch {
        result = .failure(error)
      }
      if !interrupted.wasInterrupted {
        try result.get()
        break
      }
      moments += 1
      #expect(Self.found(run) == [], "\(writer), change \(moments): \(result)")
      // And the run after it has nothing to complain of.
      if writer != .shard {
        let next = try await run.wholeRun(Self.lines(writer.manifest))
        #expect(next.items.count == writer.manifest.count - 1)
        #expect(Self.found(run) == [], "\(writer), after change \(moments)")
      }
    }
    print("\(writer): forgotten before each of \(moments) changes, in no document")
    #expect(moments > 0)
  }

  /// A `forget` is killed before each change that it makes; whichever run is next leaves the image out.
  @Test(.faults(.p9), .takesSeconds, arguments: Writer.allCases)
  private func aKilledForgetIsObeyed(_ writer: Writer) async throws {
    var moments = 0
    while true {
      let run = try await Self.begun(writer)
      guard await ForgottenImage.forget(from: run.output, killedAfter: moments) else { break }
      moments += 1
      try await Self.write(writer, run)
      // A shard replaces no catalog, and `merge` takes it out.
      if writer == .shard {
        #expect(Self.found(run).allSatisfy { OutputPlace.of($0) != .shards })
        continue
      }
      #expect(Self.found(run) == [], "\(writer), change \(moments)")
    }
    print(
      "\(writer): after a forget that was killed before each of \(moments) changes, in no document")
    #expect(moments > 0)
  }
}
