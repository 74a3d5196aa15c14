import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// Whole merges of small shards.
@Suite struct MergingTests {
  private let folder: TemporaryFolder
  private let small: SmallOutput

  init() throws {
    folder = try TemporaryFolder()
    small = try SmallOutput(folder)
  }

  private static let head = SmallOutput.head()

  /// Writes the result of a shard; the lines have their place in the manifest, and the status of the image.
  private static func write(
    _ shard: Int, of count: Int = 2, _ lines: [(line: Int, id: String, status: String)],
    files: [String: SmallOutput.Made] = [:], to output: SmallOutput,
    _ change: (inout ShardHeader) -> Void = { _ in }
  ) throws {
    var header = ShardHeader(
      shard: shard, shards: count, manifest: "m", pipeline: "p", libvips: "8", screens: [],
      retention: CatalogRetention(count: 3, age: 60), lostAbove: 20, head: head,
      images: lines.count, counts: [:], problems: 0)
    for line in lines { header.counts[line.status, default: 0] += 1 }
    change(&header)
    var text = String(decoding: header.line, as: UTF8.self) + "\n"
    for (line, id, status) in lines {
      let image = SmallOutput.line(
        id, files[id].map { [$0] } ?? [], status: status, isCard: true)
      let digests = files[id].map { [$0.sha256] } ?? []
      text +=
        String(decoding: ShardHeader.line(line, image.utf8, sha256: digests), as: UTF8.self) + "\n"
    }
    try output.write(text, to: ShardHeader.path(shard, of: count))
  }

  private func merge(
    _ roots: [String]? = nil, into target: String? = nil, shards: Int? = nil, loss: Bool = false
  ) async throws -> MergeReport {
    try await Merging(roots ?? [small.root], into: target, shards: shards, allowsLoss: loss).run()
  }

  /// What one run publishes.
  private func whole(
    _ lines: [String], screens: [CatalogScreen] = []
  ) async throws -> SmallOutput {
    let whole = try SmallOutput(folder, name: "whole")
    try await whole.publish(lines, head: Self.head, screens: screens)
    return whole
  }

  @Test func theCatalogIsThatOfOneRun() async throws {
    try Self.write(0, [(1, "a", "ok"), (5, "c", "failed")], to: small) {
      ($0.problems, $0.screens) = (2, [SmallOutput.feed])
    }
    try Self.write(1, [(3, "b", "ok"), (9, "d", "pending")], to: small) {
      ($0.problems, $0.screens) = (1, [SmallOutput.feed])
    }
    // What killed processes have left.
    try small.write("half", to: "shards/2/0.jsonl.tessera-5.new")
    try small.write("half", to: ".tessera/staging/left")
    let report = try await merge()
    let one = try await whole(
      [("a", "ok"), ("b", "ok"), ("c", "failed"), ("d", "pending")].map {
        SmallOutput.line($0.0, status: $0.1, isCard: true)
      }, screens: [SmallOutput.feed])
    #expect(try one.parts().count == 3)
    for path in try ["catalog.json", "screens/feed/first.json"] + one.parts() {
      #expect(try small.text(path) == one.text(path))
    }
    #expect(!small.has("shards/2/0.jsonl.tessera-5.new") && !small.has(".tessera/staging/left"))
    #expect((report.shards, report.images, report.problems) == (2, 4, 3))
    #expect(report.counts == ["ok": 2, "failed": 1, "pending": 1])
    #expect((report.copied, report.copiedBytes) == (0, 0))
    #expect(report.catalog == "\(small.root)/catalog.json")
    // The screens are those of the shards, and the catalog before is kept.
    for shard in 0..<2 { try Self.write(shard, [], to: small) }
    #expect(try await merge().catalog == "\(small.root)/catalog.json")
    #expect(!small.has("screens/feed/first.json"))
    let list = try await Rollback(small.root).list().catalogs
    #expect(list.map(\.images) == [4])
  }

  @Test func reportsOfShardsAreAddedUp() async throws {
    for shard in 0..<3 {
      try Self.write(shard, of: 3, [], to: small)
      // One shard has none, or a damaged one.
      let text = shard == 1 ? "half" : #"{"items":{"total":\#(shard + 1)}}"#
      try small.write(text, to: "shards/3/\(shard).run.json")
    }
    _ = try await merge()
    #expect(
      try small.text("run.json") == """
        {
          "items": {
            "total": 4
          }
        }

        """)
    let other = try SmallOutput(folder, name: "other")
    try Self.write(0, of: 1, [], to: other)
    _ = try await merge([other.root])
    #expect(!other.has("run.json"))
  }

  @Test func filesOfOtherOutputsAreCopied() async throws {
    let apart = try (0..<2).map { try SmallOutput(folder, name: "disk\($0)") }
    // Larger than the parts in which files are copied.
    let large = try apart[0].make((0..<1_500_000).map { UInt8($0 % 253) })
    let (known, tiny) = (try apart[1].make("known"), try apart[1].make("tiny"))
    _ = try small.make("known")
    let files = ["a": large, "b": known, "c": tiny, "d": tiny]
    try Self.write(0, [(1, "a", "ok")], files: files, to: apart[0])
    try Self.write(
      1, [(2, "b", "ok"), (3, "c", "ok"), (4, "d", "ok")], files: files, to: apart[1])
    let report = try await merge(apart.map(\.root), into: small.root)
    #expect((report.copied, report.copiedBytes) == (2, large.bytes + tiny.bytes))
    for (from, file) in [(apart[0], large), (apart[1], known), (apart[1], tiny)] {
      #expect(try small.output.digest(of: file.path) == from.output.digest(of: file.path))
    }
    // Nothing is copied within an output.
    #expect(try await merge(apart.map(\.root), into: small.root).copied == 0)
    #expect(try small.text("catalog.json").contains(large.source))
  }

  @Test func damagedFilesAreNotCopied() async throws {
    let apart = try SmallOutput(folder, name: "disk")
    let file = try apart.make("content")
    try Self.write(0, of: 1, [(1, "a", "ok")], files: ["a": file], to: apart)
    let damaged = "\"\(apart.root)/\(file.path)\" is damaged; run its shard again"
    for text in ["Content", "conten", ""] {
      try apart.write(text, to: file.path)
      #expect(await sentence { try await merge([apart.root], into: small.root) } == damaged)
      #expect(!small.has(file.path) && !small.has("catalog.json"))
      #expect(folder.files(below: "out/.tessera/staging").allSatisfy { !$0.hasPrefix("copy") })
    }
    // A path that no run makes.
    var other = file
    other.source = "content"
    try apart.write("content", to: other.path)
    try Self.write(0, of: 1, [(1, "a", "ok")], files: ["a": other], to: apart)
    #expect(
      await sentence { try await merge([apart.root], into: small.root) }
        == "\"\(apart.root)/\(other.path)\" is damaged; run its shard again")
    let text = try apart.text("shards/1/0.jsonl").replacing("\"width\":8,", with: "")
    try apart.write(text, to: "shards/1/0.jsonl")
    #expect(
      await sentence { try await merge([apart.root], into: small.root) }
        == "a result in \"\(apart.root)\" names malformed files; run it again")
    // A file without its digest can't be checked.
    try Self.write(0, of: 1, [(1, "a", "ok")], files: ["a": file], to: apart)
    try apart.write("content", to: file.path)
    let line = try apart.text("shards/1/0.jsonl")
    try apart.write(
      line.replacing("\"\(file.sha256)\"", with: ""), to: "shards/1/0.jsonl")
    #expect(
      await sentence { try await merge([apart.root], into: small.root) }
        == "a result in \"\(apart.root)\" names malformed files; run it again")
    try apart.write(line, to: "shards/1/0.jsonl")
    #expect(try await merge([apart.root], into: small.root).copied == 1)
  }

  /// A whole PNG file of 8 x 8 pixels, as far as its header and its end say; other texts make other files.
  private static func png(_ text: String) -> [UInt8] {
    [0x89] + Array("PNG\r\n".utf8) + [0x1A, 10, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(text.utf8.count)]
      + Array("IDAT".utf8) + Array(text.utf8) + [0, 0, 0, 0]
      + [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
  }

  /// Clients keep what is behind a name, so the first file of it stands, and the catalog says what it is.
  @Test func theFirstFileOfANameStands() async throws {
    let apart = try (0..<2).map { try SmallOutput(folder, name: "disk\($0)") }
    // Two versions of a library made the same image.
    let first = try apart[0].make(Self.png("older"), of: "a source")
    let second = try apart[1].make(Self.png("a newer one"), of: "a source")
    #expect(first.path == second.path && first.bytes != second.bytes)
    try Self.write(0, [(1, "a", "ok")], files: ["a": first], to: apart[0])
    try Self.write(1, [(2, "b", "ok")], files: ["b": second], to: apart[1])
    let report = try await merge(apart.map(\.root), into: small.root)
    #expect((report.copied, report.standing) == (1, 1))
    #expect(try small.output.digest(of: first.path) == first.sha256)
    let lines = ["a", "b"].map { SmallOutput.line($0, [first], isCard: true) }
    let one = try await whole(lines)
    #expect(try small.text("catalog.json") == one.text("catalog.json"))
    // What is there already stands, too.
    #expect(try await merge([apart[1].root, apart[0].root], into: small.root).standing == 1)
    #expect(try small.output.digest(of: first.path) == first.sha256)
  }

  /// With digests in the catalog, files of one size differ, too.
  @Test func theFullProfileStatesTheDigestOfWhatStands() async throws {
    let apart = try SmallOutput(folder, name: "disk")
    let (first, second) = (Self.png("one"), Self.png("two"))
    let standing = try small.make(first, of: "a source")
    let file = try apart.make(second, of: "a source")
    try Self.write(0, of: 1, [(1, "a", "ok")], files: ["a": file], to: apart)
    #expect(try await merge([apart.root], into: small.root).standing == 0)
    let result = "shards/1/0.jsonl"
    let bytes = SmallOutput.row([file.type: "\(file.bytes)"])
    let digests = SmallOutput.row([file.type: "\"\(file.sha256)\""])
    let full = try apart.text(result).replacing(bytes, with: #"\#(bytes),"sha256":\#(digests)"#)
    try apart.write(full, to: result)
    #expect(try await merge([apart.root], into: small.root).standing == 1)
    let catalog = try small.text("catalog.json")
    #expect(catalog.contains(standing.sha256) && !catalog.contains(file.sha256))
  }

  @Test func whatIsNoWholeImageIsReplaced() async throws {
    let apart = try SmallOutput(folder, name: "disk")
    let file = try apart.make(Self.png("whole"))
    try Self.write(0, of: 1, [(1, "a", "ok")], files: ["a": file], to: apart)
    for left in [[], Array("something else".utf8), Self.png("whole but cut").dropLast(3)] {
      try small.output.write(file.path, Array(left))
      let report = try await merge([apart.root], into: small.root)
      #expect((report.copied, report.standing) == (1, 0))
      #expect(try small.output.digest(of: file.path) == file.sha256)
    }
  }

  // MARK: Lost images

  /// The catalog shows ten images; of the new one's as many as are given are not shown.
  private func loss(_ lost: Int, limit: Double, allowed: Bool = false) async throws -> String {
    let ids = (0..<10).map { "p\($0)" }
    try await small.publish(ids.map { SmallOutput.line($0) })
    let lines = ids.enumerated().map { index, id in
      (line: index, id: id, status: index < lost ? "failed" : index == 9 ? "stale" : "ok")
    }
    try Self.write(0, of: 1, lines, to: small) { $0.lostAbove = limit }
    return await sentence { try await merge(loss: allowed) }
  }

  @Test func aCatalogThatLosesImagesStays() async throws {
    let text = try await loss(6, limit: 50)
    #expect(
      text
        == "the new catalog would lose 6 of the 10 images that the current one shows, which is more "
        + "than lost-above: 50%; the last good catalog stands; if the images are really gone, accept it "
        + "with merge --allow-loss")
    #expect(!(try small.text("catalog.json").contains("failed")))
    #expect(
      try await loss(10, limit: 50).hasPrefix(
        "the new catalog would show none of the 10 images that the current one shows; the last good"
      ))
    for (lost, limit, allowed) in [
      (5, 50.0, false), (6, 60, false), (6, 50, true), (10, 100, false), (10, 50, true),
      (4, 10, false),
    ] {
      #expect(
        try await loss(lost, limit: limit, allowed: allowed) == "no error", "\(lost), \(limit)")
      #expect(try small.text("catalog.json").contains("failed"))
    }
  }

  // MARK: The state

  /// A file that is named again waits the whole time when it is dropped again.
  @Test func notesOnNamedFilesAreCleared() async throws {
    let file = try small.make("content")
    try Self.write(0, of: 1, [(1, "a", "ok")], files: ["a": file], to: small)
    do {
      let state = try StateStore(path: try small.statePath)
      for path in [file.path, "variants/other"] {
        _ = try await state.retired(path, now: 5, notes: true)
      }
      try await state.commit()
    }
    _ = try await merge()
    let state = try StateStore(path: try small.statePath)
    #expect(try await state.retired(file.path, now: 9, notes: false) == 9)
    #expect(try await state.retired("variants/other", now: 9, notes: false) == 5)
  }

  @Test func anOutputThatARunHoldsIsBusy() async throws {
    try Self.write(0, of: 1, [], to: small)
    let held = try await OpenOutput(small.root).hold()
    let error = await #expect(throws: TesseraError.self) { try await merge() }
    #expect(error?.isBusy == true)
    await held.release()
    #expect(try await merge().shards == 1)
    // After an error it can be taken again.
    try small.remove("shards")
    #expect(await sentence { try await merge() }.contains("no results of shards"))
    try Self.write(0, of: 1, [], to: small)
    #expect(try await merge().shards == 1)
  }

  /// What is not an output, or has no results, stays as it is.
  @Test func withoutResultsNothingIsCreated() async throws {
    let empty = folder.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let none =
      "\"\(empty)\" has no results of shards (shards/N/I.jsonl); make them with run --shard I/N"
    #expect(await sentence { try await merge([empty]) } == none)
    #expect(await sentence { try await merge([empty], into: folder.path("new")) } == none)
    #expect(folder.files(below: "empty").isEmpty && !folder.files(below: "").contains("new"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("new")))
    #expect(
      await sentence { try await merge([folder.path("none")]) }
        == "there is no file or folder \"\(folder.path("none"))\"; it must be the output of a run")
    #expect(
      await sentence { try await merge([small.root], into: folder.path("new")) }
        == "\"\(small.root)\" has no results of shards (shards/N/I.jsonl); make them with run --shard I/N"
    )
    #expect(!FileManager.default.fileExists(atPath: folder.path("new")))
  }
}
