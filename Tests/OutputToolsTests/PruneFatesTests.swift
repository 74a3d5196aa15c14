import Foundation
import Synchronization
import TesseraJSON
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// What becomes of each file and row of an output when it is pruned.
@Suite struct PruneFatesTests {
  private let small: SmallOutput
  private static let day = 86_400.0

  init() throws { small = try SmallOutput() }

  private func prune(
    day: Double, grace: Double = 7, isDryRun: Bool = false
  ) async throws -> (report: String, deleted: [String], stays: [String]) {
    let told = Mutex<(deleted: [String], stays: [String])>(([], []))
    let report = try await Pruning(
      small.root, grace: .seconds(grace * Self.day), isDryRun: isDryRun, now: day * Self.day
    ).run(
      onDelete: { path in told.withLock { $0.deleted.append(path) } },
      onStay: { path, reason in told.withLock { $0.stays.append("\(path) \(reason)") } })
    let text = String(decoding: report.json, as: UTF8.self).filter { $0 != " " && $0 != "\n" }
    return told.withLock { (text, $0.deleted.sorted(), $0.stays.sorted()) }
  }

  private static func rows(_ sources: Int = 0, _ contents: Int = 0) -> String {
    #""rows":{"sources":\#(sources),"headers":0,"rejections":0,"contents":\#(contents),"#
      + #""placeholders":0,"qualities":0,"variants":0}"#
  }

  /// Files of the current catalog, of a kept one, of the result of a shard, and of none.
  private func publish() async throws -> [SmallOutput.Made] {
    let files = try ["kept", "current", "shard", "none"].map { try small.make($0) }
    try await small.publish(
      [SmallOutput.line("a", [files[0]])], age: 10 * Self.day, now: 1 * Self.day)
    try await small.publish(
      [SmallOutput.line("a", [files[1]])], age: 10 * Self.day, now: 2 * Self.day)
    let header = ShardHeader(
      shard: 0, shards: 2, manifest: "m", pipeline: "p", libvips: "8", screens: [],
      retention: CatalogRetention(count: 3, age: 60), lostAbove: 20, head: SmallOutput.head(),
      images: 1, counts: [:], problems: 0)
    let line = ShardHeader.line(
      1, SmallOutput.line("s", [files[2]]).utf8, sha256: [files[2].sha256])
    try small.write(
      "\(String(decoding: header.line, as: UTF8.self))\n\(String(decoding: line, as: UTF8.self))\n",
      to: "shards/2/0.jsonl")
    return files
  }

  @Test func eachFileHasItsFate() async throws {
    let files = try await publish()
    for path in [
      "variants/mine", "variants/00/mine", "variants/00/00/mine.png", "tables/mine",
      "screens/feed/mine.json",
    ] {
      try small.write("abc", to: path)
    }
    let table = "tables/aa/\(String(repeating: "a", count: 32))-8x8.webp"
    let part = "screens/feed/\(String(repeating: "a", count: 32)).json"
    for path in [table, part] { try small.write("abcde", to: path) }
    let stays = [
      "\(files[0].path) stays: named by kept catalogs, until 1970-01-13T00:00:00Z at the latest",
      "\(files[2].path) stays: named by shards",
    ]
    let start =
      #"{"schema":"tessera-prune/1","kept":3,"keptBy":{"keptcatalogs":1,"shards":1},"#
      + #""keptUntil":"1970-01-13T00:00:00Z","#
    for isDryRun in [true, false] {
      let waiting = try await prune(day: 3, isDryRun: isDryRun)
      #expect(
        waiting.report == start + #""droppedCatalogs":0,"deleted":0,"deletedBytes":0,"waiting":3,"#
          + #""waitingBytes":14,"nextDeletion":"1970-01-11T00:00:00Z","foreign":5,"#
          + Self.rows() + #","waitingRows":0}"#)
      #expect(waiting.deleted == [])
      #expect(
        waiting.stays
          == (stays
          + [files[3].path, table, part].map {
            "\($0) stays until 1970-01-11T00:00:00Z: clients with an earlier catalog may fetch it"
          }).sorted())
    }
    let unnamed = [files[3].path, table, part].sorted()
    for isDryRun in [true, false] {
      let deleted = try await prune(day: 10, isDryRun: isDryRun)
      #expect(
        deleted.report == start + #""droppedCatalogs":0,"deleted":3,"deletedBytes":14,"waiting":0,"#
          + #""waitingBytes":0,"foreign":5,"# + Self.rows() + #","waitingRows":0}"#)
      #expect(deleted.deleted == unnamed && deleted.stays == stays.sorted())
      #expect(unnamed.allSatisfy { small.has($0) == isDryRun })
    }
    #expect([files[0], files[1], files[2]].allSatisfy { small.has($0.path) })
    #expect(small.has("variants/mine") && small.has("screens/feed/mine.json"))
  }

  /// A kept catalog ends by itself, and its files begin to wait.
  @Test func aKeptCatalogIsDropped() async throws {
    let files = try await publish()
    let before = try await prune(day: 11.9, grace: 0)
    #expect(before.report.contains(#""droppedCatalogs":0,"deleted":1,"#))
    #expect(before.deleted == [files[3].path])
    // A dry run drops nothing, and what it would name no more counts as unnamed.
    let dry = try await prune(day: 12, grace: 0, isDryRun: true)
    #expect(dry.report.contains(#""droppedCatalogs":0,"deleted":1,"#))
    #expect(dry.deleted == [files[0].path])
    let after = try await prune(day: 12, grace: 0)
    #expect(after.report.contains(#""keptBy":{"shards":1},"droppedCatalogs":1,"deleted":1,"#))
    #expect(after.deleted == [files[0].path] && !small.has(files[0].path))
    #expect(try await Rollback(small.root).list().catalogs.isEmpty)
  }

  @Test func filesOfTablesStay() async throws {
    func tables(_ letter: Character) -> (head: String, files: [String]) {
      let start = "tables/\(letter)\(letter)/\(String(repeating: letter, count: 32))"
      let files = ["\(start)-8x8.webp", "\(start).json"]
      let table =
        #"{"a":[{"scale":1,"pixels":"webp","files":[{"path":"\#(files[0])","prefix":"","width":8,"#
        + #""height":8,"count":1,"bytes":3,"sha256":"","index":"\#(files[1])"}]}]}"#
      return (SmallOutput.head(#""slots":{},"scales":[1],"tables":\#(table)"#), files)
    }
    for (time, letter) in "ab".enumerated() {
      try await small.publish([], head: tables(letter).head, now: Double(time + 1))
    }
    let files = "abc".flatMap { tables($0).files }
    for path in files { try small.write("abc", to: path) }
    let result = try await prune(day: 1, grace: 0)
    #expect(result.deleted == files.suffix(2).sorted() && result.stays.count == 2)
    #expect(result.report.contains(#""kept":4,"keptBy":{"keptcatalogs":2},"#))
  }

  @Test func partsThatAScreenNamesStay() async throws {
    for (time, ids) in ["abc", "acd"].enumerated() {
      try await small.publish(
        ids.map { SmallOutput.line(String($0), isCard: true) }, screens: [SmallOutput.feed],
        now: Double(time + 1))
    }
    #expect(small.folder.files(below: "out/screens/feed").count == 4)
    let first = try await prune(day: 1, grace: 0)
    // The first document itself is not a file of this folder that could be deleted.
    #expect(first.report.contains(#""kept":3,"keptBy":{"keptcatalogs":1},"#), "\(first.report)")
    #expect(first.deleted == [] && first.stays.count == 1)
    // Without the kept catalog, its part is unnamed.
    try small.remove(".tessera/catalogs/list.json")
    let second = try await prune(day: 2, grace: 0)
    #expect(second.deleted.count == 1 && second.report.contains(#""kept":2,"keptBy":{},"#))
    #expect(try small.parts().allSatisfy { small.has($0) } && small.has("screens/feed/first.json"))
  }

  /// What the state knows of items that are gone leaves it some time later.
  @Test func rowsOfFormerItemsLeave() async throws {
    try await small.publish([])
    let path = try small.statePath
    func item(_ id: String) -> SmallState.Item {
      SmallState.Item(id: id, line: SmallOutput.line(id), content: "c", url: id)
    }
    try await SmallState.write([item("a"), item("b"), item("c")], to: path)
    try await SmallState.write([item("a")], to: path)
    for isDryRun in [true, false] {
      #expect(
        try await prune(day: 1, isDryRun: isDryRun).report.hasSuffix(
          Self.rows() + #","waitingRows":2}"#))
    }
    #expect(try await prune(day: 7).report.hasSuffix(Self.rows() + #","waitingRows":2}"#))
    for isDryRun in [true, false] {
      #expect(
        try await prune(day: 8, isDryRun: isDryRun).report.hasSuffix(
          Self.rows(2) + #","waitingRows":0}"#))
    }
    #expect(try await prune(day: 9).report.hasSuffix(Self.rows() + #","waitingRows":0}"#))
    // What items had is forgotten together with it.
    #expect(try await !StateStore(path: path).has("b"))
  }

  @Test func aMalformedEntryStopsBeforeAnythingIsDeleted() async throws {
    let files = try await publish()
    let text = try small.text("shards/2/0.jsonl")
    try small.write(text.replacing("\"height\":8,", with: ""), to: "shards/2/0.jsonl")
    #expect(
      await sentence { try await prune(day: 3, grace: 0) }
        == "an image has a malformed catalog entry; run again before anything is deleted")
    #expect(small.has(files[3].path))
    try small.write("{}\n", to: "shards/2/0.jsonl")
    #expect(
      await sentence { try await prune(day: 3, grace: 0) }
        == "\"\(small.root)/shards/2/0.jsonl\" is not the result of a shard; remove it, or run the "
        + "shard again")
    // Other files of that folder are not results.
    try small.write(text, to: "shards/2/0.jsonl")
    for name in ["0.run.json", "0.jsonl.tessera-5.new"] {
      try small.write("x", to: "shards/2/\(name)")
    }
    #expect(try await prune(day: 3, grace: 0).deleted == [files[3].path])
  }

  @Test func anOutputThatARunHoldsIsBusy() async throws {
    _ = try await publish()
    let held = try await OpenOutput(small.root).hold()
    let error = await #expect(throws: TesseraError.self) { try await prune(day: 3) }
    #expect(error?.isBusy == true)
    await held.release()
    let folder = try TemporaryFolder()
    #expect(
      await sentence {
        try await Pruning(folder.url.path, grace: .zero, isDryRun: false).run { _ in }
      } == "\"\(folder.url.path)\" holds no catalog.json; it must be the output of a run")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  /// Files of more images than are named at a time.
  @Test func allFilesOfManyImagesAreNamed() async throws {
    let (many, last) = (try small.make("many"), try small.make("last"))
    let lines = (0..<1_300).map { SmallOutput.line("\($0)", [$0 == 1_299 ? last : many]) }
    try await small.publish(lines, now: 1)
    try await small.publish([], now: 2)
    let result = try await prune(day: 1, grace: 0)
    #expect(result.deleted == [] && result.stays.count == 2)
  }
}
