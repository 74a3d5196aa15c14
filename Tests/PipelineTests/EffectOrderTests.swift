import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraManifest
import TesseraMemoryOutput
import TesseraOutput
import TesseraPipelineFile
import TesseraState
import TesseraSystem
import Testing

@testable import TesseraPipeline

/// Files are published before the state names them, so that a run may end anywhere.
@Suite struct EffectOrderTests {
  @Test func filesArePublishedBeforeTheStateNamesThem() async throws {
    let run = try RunInMemory()
    let photo = TinyImage.webp(300, 200, "photo")
    let digest = SHA256.of(photo)
    run.serve("photo", .image(photo))
    let runContext = try await run.runContext()
    let context = ItemContext(
      Item(.init(line: 1, id: "a", url: RunInMemory.url("photo")), position: 0, run.file.fetch))
    let itemPipeline = FilesPipeline(runContext)
    var stage = Stage.read(.new)
    while !["complete", "failed"].contains(stage.summary.prefix(while: \.isLetter)) {
      stage = try await itemPipeline.stage(after: stage, context)
    }
    let made = try #require(context.change.made)
    #expect(made.variants.count == 2)
    for variant in made.variants {
      #expect(try await runContext.output.has(variant.record.path, bytes: variant.record.bytes))
    }
    #expect(try await runContext.state.contentRecord(digest) == nil)
    let known = try await runContext.state.made(
      made.variants.map(\.key), placeholder: made.placeholder.key)
    #expect(known.0 == [nil, nil])
    #expect(known.1 == nil)
    let done = try await itemPipeline.result(of: context, from: stage)
    #expect(done.report.status == .ok)
    #expect(try await runContext.state.contentRecord(digest) != nil)
  }

  /// The output fills up after each possible number of files. Every line that the state then has names
  /// files that are there, and the next run completes the rest.
  @Test(arguments: 0...5) func aFullOutputLosesNothing(_ room: Int) async throws {
    let run = try RunInMemory()
    for index in 0..<3 {
      run.serve("\(index)", .image(TinyImage.webp(300, 200, "\(index)"), freshFor: 3_600))
    }
    let items: KeyValuePairs = ["a": "0", "b": "1", "c": "2"]
    run.output.setRoom(room)
    await #expect(throws: SystemError.self) { try await run.run(items) }
    var finished = 0
    for id in ["a", "b", "c"] {
      guard try await run.state.history(of: id)?.status != nil else { continue }
      finished += 1
      let names = try await run.state.possessions(of: [id]).filter { $0.kind == .files }
      let name = try #require(names.first?.name)
      #expect(names.count == 1 && run.output.paths.count { $0.contains(name) } == 2)
    }
    run.output.setRoom(nil)
    let next = try await run.run(items)
    #expect(next.items == ["a ok", "b ok", "c ok"])
    #expect(next.decodes.count == 3 - finished)
    #expect(run.output.paths.count == 6)
  }
}
