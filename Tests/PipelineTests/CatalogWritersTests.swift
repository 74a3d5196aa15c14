import TesseraBytes
import TesseraCatalog
import TesseraManifest
import TesseraMemoryOutput
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Catalogs and results of shards as whole texts.
@Suite struct CatalogWritersTests {
  private let run: RunInMemory

  init() throws { run = try RunInMemory() }

  private static func file(_ change: (inout PipelineFile) -> Void = { _ in }) -> PipelineFile {
    var file = PipelineFile.example()
    file.plan.slots.insert(Slot("badge", width: 60, height: 40, mode: .clip), at: 0)
    file.baseURL = "https://cdn.example/"
    change(&file)
    return file
  }

  private static func digest(
    _ file: PipelineFile, _ shaping: Set<Shaping>, _ version: String, _ length: Int
  ) -> String {
    return String(
      SHA256.of("\(file.shape(shaping))\n\(version)\n\(Recipes.text)").prefix(length))
  }

  /// WebP, and what takes the place of a file that WebP can't hold.
  private static func formats(_ file: PipelineFile) -> String {
    zip(["webp", "jpeg", "png"], FileNames(file).formats).map { name, format in
      #"{"type":"image/\#(name)","extension":"\#(name == "jpeg" ? "jpg" : name)","recipe":"#
        + #""\#(format.recipe ?? "")"\#(name == "webp" ? "" : #","fallback":true"#)}"#
    }.joined(separator: ",")
  }

  private static func head(_ file: PipelineFile, tables: String = "") -> String {
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"\#(Version.number)","#
      + #""libvips":"8.14.1"},"pipeline":{"name":"shop","fingerprint":""#
      + digest(file, [.files, .entries, .catalog], "", 16)
      + #""},"baseURL":"https://cdn.example/","formats":[\#(formats(file))],"slots":{"badge":{"width":60,"height":40,"#
      + #""mode":"clip"},"card":{"width":100,"mode":"fit"}},"scales":[1,2]\#(tables)}"#
  }

  private func lines(_ ids: [String]) -> GivenLines {
    GivenLines(lines: ids.map { #"{"id":"\#($0)","status":"failed","slots":{"card":{}}}"# })
  }

  private func write(
    _ file: PipelineFile, _ ids: [String], tables: [String: [CatalogTable]]? = nil,
    now: Double = 1_000
  ) async throws -> Int {
    var replaced = 0
    let writer = CatalogWriter(
      file: file, libvips: "8.14.1", tables: tables, lines: lines(ids),
      output: run.output, workspace: run.workspace)
    _ = try await writer.write(now: now, keeping: CatalogRetention(file)) { _ in
      replaced += 1
      #expect(run.output.paths.contains("catalog.json"))
    }
    return replaced
  }

  /// A text without the digest of a catalog in it.
  private static func plain(_ text: String) -> String {
    text.replacing(/"(digest|catalog)":"[0-9a-f]{64}"/) { #""\#($0.output.1)":"""# }
  }

  @Test func aCatalogIsItsHeadAndALineForEachImage() async throws {
    let file = Self.file()
    #expect(try await write(file, ["a", "b"]) == 1)
    let text = try run.output.text("catalog.json")
    #expect(
      Self.plain(text) == #"{"digest":"","# + Self.head(file).dropFirst().dropLast()
        + #","count":2,"images":[\#n{"id":"a","status":"failed","slots":{"card":{}}},"#
        + #"\#n{"id":"b","status":"failed","slots":{"card":{}}}\#n]}\#n"#)
    #expect(run.output.paths == ["catalog.json"])
  }

  private static let table = PublishedFile.tablePath(
    digest: String(repeating: "a", count: 64), width: 1, height: 2, fileExtension: "grey8")

  @Test func aScreenIsACatalogWithoutTables() async throws {
    let file = Self.file {
      $0.screens = [
        CatalogScreen(
          name: "feed", selection: .init(slots: ["badge", "card"]), first: 1, part: 1)
      ]
    }
    let table = CatalogTable(
      scale: 1, pixels: "grey8",
      files: [
        .init(path: Self.table, prefix: "", width: 1, height: 2, count: 3, bytes: 4, sha256: "s")
      ])
    #expect(try await write(file, ["a", "b"], tables: ["card": [table]]) == 1)
    let tables =
      #","tables":{"card":[{"scale":1,"pixels":"grey8","files":[{"path":"#
      + #""\#(Self.table)","prefix":"","width":1,"#
      + #""height":2,"count":3,"bytes":4,"sha256":"s"}]}]}"#
    func document(_ members: String, _ ids: [String]) -> String {
      let images = ids.map { #"\#n{"id":"\#($0)","status":"failed","slots":{"card":{}}}"# }.joined(
        separator: ",")
      return #"{"digest":"","# + Self.head(file, tables: members).dropFirst().dropLast()
        + #","count":\#(ids.count),"images":["# + images + "\n]}\n"
    }
    #expect(Self.plain(try run.output.text("catalog.json")) == document(tables, ["a", "b"]))
    let first = try run.output.text("screens/feed/first.json")
    let part = try #require(run.output.paths.first { CatalogScreen.isPart($0) })
    #expect(Self.plain(first) == document(#","catalog":"","parts":["\#(part)"]"#, ["a"]))
    #expect(Self.plain(try run.output.text(part)) == document("", ["b"]))
  }

  /// The earlier catalogs that a pipeline keeps.
  @Test func earlierCatalogsAreKept() async throws {
    let file = Self.file { $0.keptCatalogs = .init(count: 1, age: .seconds(100)) }
    #expect(CatalogRetention(file) == CatalogRetention(count: 1, age: 100))
    func kept() -> Int {
      run.output.paths.count {
        $0.wholeMatch(of: /\.tessera\/catalogs\/[0-9a-f]{32}\.json/) != nil
      }
    }
    for (number, id) in ["a", "b", "c"].enumerated() {
      _ = try await write(file, [id], now: 1_000 + Double(number) * 10)
      #expect(kept() == min(number, 1))
    }
  }

  // MARK: Shards

  private func writeShard(
    _ ids: [String], manifest: String? = "m", _ file: PipelineFile = file()
  ) async throws {
    var report = RunReport()
    (report.counts, report.problemCount) = (["failed": 2], 3)
    let lines = try run.lines(lines(ids).lines.enumerated().map { ($0 * 2 + 1, ids[$0], $1) })
    _ = try await ShardWriter(
      shard: try #require(Shard(1, of: 4)), file: file, libvips: "8.14.1",
      lines: lines, state: run.state, output: run.output, workspace: run.workspace
    ).write(manifest: manifest, report)
  }

  @Test func aShardHasTheLinesOfItsImages() async throws {
    let file = Self.file {
      ($0.catalogChanges, $0.lostAbove) = (2, 12.5)
      $0.keptCatalogs = .init(count: 2, age: .seconds(60))
    }
    try await writeShard(["a", "b"], file)
    let pipeline = Self.digest(
      file, [.files, .entries], "\(Version.number) lines \(Version.lines)", 32)
    #expect(
      try run.output.text("shards/4/1.jsonl")
        == #"{"schema":"tessera-shard/1","shard":1,"shards":4,"manifest":"m","pipeline":""#
        + pipeline + #"","libvips":"8.14.1","keepCatalogs":2,"#
        + #""keepCatalogsSeconds":60,"changes":2,"lostAbove":12.5,"images":2,"counts":{"failed":2},"#
        + #""manifestProblems":3,"catalog":"# + Self.head(file) + "}\n"
        + #"{"line":1,"sha256":[],"image":{"id":"a","status":"failed","slots":{"card":{}}}}\#n"#
        + #"{"line":3,"sha256":[],"image":{"id":"b","status":"failed","slots":{"card":{}}}}\#n"#)
  }

  /// Another machine was faster: its result is as good if it is one of the same inputs.
  @Test func aResultOfTheSameInputsStands() async throws {
    try await writeShard(["a"])
    let before = try run.output.text("shards/4/1.jsonl")
    try await writeShard(["a", "b"])
    #expect(try run.output.text("shards/4/1.jsonl") == before)
    let error = await #expect(throws: TesseraError.self) {
      try await writeShard(["a"], manifest: "other")
    }
    #expect(
      error?.description
        == TesseraError.overtaken("shard 1/4 of the output \"memory\"").description)
    #expect(try run.output.text("shards/4/1.jsonl") == before)
    try run.output.write("shards/4/1.jsonl", Array("{}\n".utf8))
    await #expect(throws: TesseraError.self) { try await writeShard(["a"]) }
    let unread = await #expect(throws: TesseraError.self) {
      try await writeShard(["a"], manifest: nil)
    }
    #expect(unread?.description == "the manifest was not read to its end")
  }

  // MARK: Fingerprints

  @Test func fingerprintsHaveWhatTheyIdentify() throws {
    var file = Self.file()
    let line = "\(Version.number) lines \(Version.lines)"
    #expect(
      Fingerprint.line(file) == Self.digest(file, [.files, .entries], line, 32))
    #expect(
      Fingerprint.pipeline(file)
        == Self.digest(file, [.files, .entries, .catalog], "", 16))
    let rejection = Fingerprint.rejection(file, memory: 77, libvips: "8.14.1")
    file.limits.memory = 77
    #expect(
      rejection == Self.digest(file, [.files, .entries, .acceptance], line + " libvips 8.14.1", 32))
  }
}
