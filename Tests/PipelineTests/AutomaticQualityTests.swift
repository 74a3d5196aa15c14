import TesseraJSON
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import Testing

@testable import TesseraPipeline

/// Qualities that workers find: once for each content and encoding, and for all items and runs.
@Suite struct FindingQualityTests {
  private static let photo = TinyImage.webp(300, 200, "photo")

  private static func automatic() throws -> RunInMemory {
    var run = try RunInMemory()
    run.file.plan.quality[.webp] = nil
    run.file.profile = .full
    return run
  }

  private static func qualities(_ outcome: RunInMemory.Outcome, _ index: Int = 0) throws -> [Int?] {
    try outcome.image(index)["variants"]?.arrayValue?.map {
      $0["quality"]?.arrayValue?.first?.intValue
    } ?? []
  }

  @Test func aQualityIsFoundOnceAndGivenToNewFiles() async throws {
    var run = try Self.automatic()
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 1_000))
    let first = try await run.run(["a": "photo"])
    #expect(first.items == ["a ok"] && first.decodes == [2])
    #expect(try Self.qualities(first) == [72, 72])
    #expect(
      try first.image(0)["variants"]?.arrayValue?.first?["score"]?.arrayValue == [.number("68")])
    // Another worker would find another one. The base of the decoding is as before.
    run.transcoder.find(50)
    run.file.plan.slots.append(Slot("icon", width: 10, height: nil))
    let second = try await run.run(["a": "photo"])
    #expect(second.decodes == [1])
    #expect(try Self.qualities(second) == [72, 72, 72])
    #expect(try Set(second.paths(0)).isSuperset(of: first.paths(0)))
    #expect(try await run.run(["a": "photo"]).decodes == [])
    // A larger slot changes how the image is decoded, and with it all files.
    run.file.plan.slots.append(Slot("hero2", width: 250, height: nil))
    let third = try await run.run(["a": "photo"])
    #expect(try Self.qualities(third) == [50, 50, 50, 50])
  }

  @Test func itemsOfOneContentShareASearch() async throws {
    let run = try Self.automatic()
    run.serve("one", .image(Self.photo, etag: "\"1\""))
    run.serve("two", .image(Self.photo, etag: "\"1\""))
    let outcome = try await run.run(["a": "one", "b": "two"])
    #expect(outcome.decodes == [2])
    #expect(try Self.qualities(outcome, 1) == [72, 72])
    #expect(try outcome.paths(0) == outcome.paths(1))
  }

  @Test func aNewTargetOrRangeIsSearchedAgain() async throws {
    var run = try Self.automatic()
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 1_000))
    _ = try await run.run(["a": "photo"])
    run.transcoder.find(80)
    run.file.plan.automaticQuality.target = 80
    #expect(try Self.qualities(try await run.run(["a": "photo"])) == [80, 80])
    run.file.plan.automaticQuality.range = 60...80
    run.transcoder.find(79)
    #expect(try Self.qualities(try await run.run(["a": "photo"])) == [79, 79])
    // A number that is declared is another recipe, also if it was found before.
    run.file.plan.quality[.webp] = 79
    let fixed = try await run.run(["a": "photo"])
    #expect(fixed.decodes == [2])
    #expect(try Self.qualities(fixed) == [nil, nil])
  }

  /// A compromised worker can neither leave its searches out nor report other ones.
  @Test(arguments: [
    [], [(72, Size(128, 85)), (72, Size(128, 85))], [(93, Size(128, 85))], [(39, Size(128, 85))],
    [(72, Size(64, 43))],
  ])
  func reportedQualitiesMustBeThoseOfTheSearch(_ found: [(Int, Size)]) async throws {
    let run = try Self.automatic()
    run.serve("photo", .image(Self.photo))
    run.transcoder.script(
      .find(
        found.map {
          FoundQuality(
            quality: $0.0, score: 67.5, worstTile: 60, size: $0.1, encodes: 2, isGraphic: false)
        }))
    #expect(try await run.run(["a": "photo"]).items == ["a failed worker-protocol"])
    let next = try await run.run(["a": "photo"])
    #expect(next.items == ["a ok"])
    #expect(try Self.qualities(next) == [72, 72])
  }
}
