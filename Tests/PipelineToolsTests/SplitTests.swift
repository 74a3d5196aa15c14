import TesseraJSON
import TesseraPipelineFile
import TesseraTestSupport
import Testing

@testable import tessera

/// A manifest as several, one for each shard.
@Suite struct SplitTests {
  private static let lines = [
    #"{"id":"p1","url":"https://example.com/1.jpg"}"#, "nonsense",
    #"{"id":"p2","url":"https://example.com/2.jpg","extra":{"n":1.50}}"#,
    #"{"id":"p3","url":"https://example.com/3.jpg","slots":["card"]}"#, "",
    #"{"url":"https://example.com/4.jpg?token=1","more":1}"#,
  ]
  /// Of the lines, each with its line feed.
  private static let digest = "e5ab15a4f6b82f862f208c9a4254090d264baa214dc0bb3f69a0bb1a55c6fef0"
  /// In the parts: with the line, and without an id that follows from the URL.
  private static let entries = [
    #"{"line":1,"id":"p1","url":"https://example.com/1.jpg"}"#,
    #"{"line":2,"problem":"not valid JSON at column 1: expected a value, found \"n\""}"#,
    #"{"line":3,"id":"p2","url":"https://example.com/2.jpg","extra":{"n":1.50}}"#,
    #"{"line":4,"id":"p3","url":"https://example.com/3.jpg","slots":["card"]}"#,
    #"{"line":6,"url":"https://example.com/4.jpg?token=1","members":{"more":1}}"#,
  ]

  private static func split(
    _ manifest: String, _ count: Int, in folder: TemporaryFolder
  ) async throws -> (report: SplitReport, messages: [String]) {
    let file = PipelineFile(reading: .file(try folder.write(manifest, to: "list")))
    var messages: [String] = []
    let report = try await ManifestSplitter(file, count: count).split(into: folder.path("parts")) {
      messages.append("\($0): \($1)")
    }
    return (report, messages)
  }

  private static func part(
    _ index: Int, of count: Int, _ places: [Int], digest: String = digest
  ) -> String {
    ([#"{"schema":"tessera-split/1","shard":\#(index),"shards":\#(count)}"#]
      + places.map { entries[$0] } + [#"{"end":\#(places.count),"manifest":"\#(digest)"}"#])
      .map { $0 + "\n" }.joined()
  }

  /// The first 16 digits of an id's SHA-256 say in which part its entry is; its number, in which
  /// part a line is that can't be used.
  @Test(
    arguments: [
      (1, [[0, 1, 2, 3, 4]]), (2, [[1, 2], [0, 3, 4]]), (3, [[0], [2, 3, 4], [1]]),
    ] as [(Int, [[Int]])])
  func eachLineIsInOnePart(_ count: Int, _ parts: [[Int]]) async throws {
    let folder = try TemporaryFolder()
    let text = Self.lines.map { $0 + "\n" }.joined()
    let split = try await Self.split(text, count, in: folder)
    #expect(
      split.messages == ["2: not valid JSON at column 1: expected a value, found \"n\""])
    #expect(split.report.entries == 4 && split.report.problems == 1)
    #expect(folder.files(below: "parts") == parts.indices.map { "\($0).jsonl" })
    for (index, places) in parts.enumerated() {
      #expect(
        try folder.text("parts/\(index).jsonl") == Self.part(index, of: count, places))
    }
    #expect(folder.files(below: "").count == parts.count + 1)
  }

  /// More than is kept in memory for a part.
  @Test func longPartsAreWhole() async throws {
    let folder = try TemporaryFolder()
    let alt = String(repeating: "é", count: 4_000)
    let lines = (1...150).map {
      #""id":"\#($0)","url":"https://example.com/\#($0)","alt":"\#(alt)"}"#
    }
    _ = try await Self.split(lines.map { "{\($0)\n" }.joined(), 1, in: folder)
    let written = try folder.text("parts/0.jsonl").split(separator: "\n")
    #expect(written.count == 152)
    let expected = zip(1...150, lines).map { "{\"line\":\($0),\($1)" }
    #expect(written.dropFirst().dropLast().map(String.init) == expected)
    #expect(written.last?.hasPrefix("{\"end\":150,") == true)
  }

  @Test func anEmptyManifestHasEmptyParts() async throws {
    let folder = try TemporaryFolder()
    let report = try await Self.split("", 2, in: folder).report
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    for index in 0..<2 {
      #expect(
        try folder.text("parts/\(index).jsonl") == Self.part(index, of: 2, [], digest: digest))
    }
    #expect(
      text(report.json) == """
        {
          "schema": "tessera-split-report/1",
          "parts": 2,
          "entries": 0,
          "manifestProblems": 0
        }

        """)
    var other = SplitReport(parts: 4)
    (other.entries, other.problems) = (5, 3)
    #expect(
      text(other.json).contains("4,\n  \"entries\": 5,\n  \"manifestProblems\": 3\n"))
  }

  @Test func nothingIsLeftOfWhatFails() async throws {
    let folder = try TemporaryFolder()
    func mistake(_ manifest: String) async -> String {
      do {
        _ = try await Self.split(manifest, 2, in: folder)
        return ""
      } catch {
        return "\(error)"
      }
    }
    let list = folder.path("list")
    #expect(
      await mistake("{\"a\"\n{\"b\"\n")
        == "the manifest \"\(list)\": none of its lines can be used")
    #expect(
      await mistake(Self.part(1, of: 2, [0]))
        == "the manifest \"\(list)\": it is a part already (1/2)")
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Self.split("https://example.com/a.jpg\n", 2, in: folder).report
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(folder.files(below: "") == ["list"] && !folder.has("parts"))
    try folder.makeFolder("parts")
    #expect(
      await mistake("https://example.com/a.jpg\n")
        == "\"\(folder.path("parts"))\" exists already; name another folder, or remove it")
  }
}
