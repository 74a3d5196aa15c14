import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Which images a catalog shows, and how many of them a new one may lose.
@Suite struct ShownImagesTests {
  private let output = MemoryOutput()

  private func write(_ images: [String], ends: Bool = true) throws {
    let text = MemoryCatalogs.document(images)
    try output.write("catalog.json", Array(text.utf8.dropLast(ends ? 0 : 3)))
  }

  private func batches() async throws -> [[String]]? {
    guard var images = try await ShownImages(in: output) else { return nil }
    var batches: [[String]] = []
    while let ids = try await images.next() { batches.append(ids) }
    return batches
  }

  @Test func imagesWithFilesAreShown() async throws {
    #expect(try await batches() == nil)
    try write([])
    #expect(try await batches() == [])
    try write([
      #"{"id":"a","status":"ok","more":{"id":"x","status":"failed"}}"#,
      #"{"status":"stale","id":"b"}"#, #"{"id":"c","status":"failed"}"#, #"{"id":"d"}"#,
      #"{"status":"ok"}"#, #"{"id":1,"status":"ok"}"#, #"{"id":"e","status":"ok"}"#,
    ])
    #expect(try await batches() == [["a", "b", "e"]])
  }

  /// What follows damage counts as not there; another error is one.
  @Test func imagesBeforeDamageAreShown() async throws {
    try write([MemoryCatalogs.image("a"), MemoryCatalogs.image("b")], ends: false)
    #expect(try await batches() == [["a", "b"]])
    try write(["{]"])
    #expect(try await batches() == [])
    try write([MemoryCatalogs.image("a")])
    var images = try #require(try await ShownImages(in: output))
    output.delete("catalog.json")
    do throws(SystemError) {
      _ = try await images.next()
      Issue.record("there was none")
    } catch {
      #expect(error.isMissingFile)
    }
  }

  @Test func manyImagesComeInParts() async throws {
    let ids = (0..<2_500).map { "i\($0)" }
    try write(ids.map { #"{"id":"\#($0)","status":"ok"}"# })
    let batches = try #require(try await batches())
    #expect(batches.map(\.count) == [1_000, 1_000, 500])
    #expect(batches.flatMap(\.self) == ids)
  }

  @Test func imagesThatTheNewCatalogDoesNotHaveDoNotCount() async throws {
    func count(_ stay: [Bool?]) async throws -> LossCount {
      try await LossCount(in: output) { ids in
        #expect(ids == ["a", "b", "c"])
        return stay
      }
    }
    #expect(try await LossCount(in: output) { _ in [false] } == LossCount())
    try write(["a", "b", "c"].map { MemoryCatalogs.image($0) })
    let some = try await count([true, false, nil])
    #expect((some.shown, some.lost) == (2, 1))
    let none = try await count([nil, nil, nil])
    #expect((none.shown, none.lost) == (0, 0))
    #expect(none == LossCount())
    let all = try await count([false, false, false])
    #expect((all.shown, all.lost) == (3, 3))
    #expect(
      all.sentence(limit: 20)
        == "the new catalog would show none of the 3 images that the current one shows")
    #expect(
      some.sentence(limit: 20)
        == "the new catalog would lose 1 of the 2 images that the current one shows, which is more "
        + "than lost-above: 20%")
  }

  private func count(lost: Int, of shown: Int) async throws -> LossCount {
    try write([MemoryCatalogs.image("a")])
    return try await LossCount(in: output) { _ in
      (0..<shown).map { $0 >= lost }
    }
  }

  /// Few images mean nothing, unless they are all; a share is exceeded, and not reached.
  @Test(arguments: [
    (4, 5, 20.0, false), (5, 25, 20, false), (6, 29, 20, true), (5, 24, 20, true),
    (4, 8, 20, false), (5, 6, 20, true), (1, 1, 20, true), (3, 3, 99, true), (3, 3, 100, false),
    (9, 9, 100, false), (9, 9, 99.9, true), (0, 0, 0, false), (0, 9, 0, false), (5, 900, 0, true),
    (4, 900, 0, false),
  ])
  func aLossIsAboveAShare(_ lost: Int, _ shown: Int, _ limit: Double, _ isAbove: Bool)
    async throws
  {
    #expect(try await count(lost: lost, of: shown).isAbove(limit) == isAbove)
  }

  /// The current catalog is only read if it matters.
  @Test(arguments: [
    (4, 9, false), (5, 9, true), (6, 9, true), (0, 0, false), (1, 0, true), (1, 1, false),
  ])
  func fewHiddenImagesAreOfNoInterest(_ hidden: Int, _ shown: Int, _ isOfInterest: Bool) {
    #expect(LossCount.isOfInterest(hidden: hidden, shown: shown) == isOfInterest)
  }
}
