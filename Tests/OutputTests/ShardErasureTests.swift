import TesseraMemoryOutput
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraOutput

/// Images are taken out of the results of shards, and out of reports.
@Suite struct ShardErasureTests {
  private let catalogs: MemoryCatalogs
  private var output: MemoryOutput { catalogs.output }

  init() throws { catalogs = try MemoryCatalogs() }

  private func erasure(_ names: String) async throws -> CatalogErasure {
    try await CatalogErasure(names.map { "id-\($0)" }, from: output, catalogs.workspace)
  }

  private static func header(_ images: Int, _ counts: [String: Int]) -> ShardHeader {
    ShardHeader(
      shard: 1, shards: 2, manifest: "m", pipeline: "p", libvips: "8", screens: [],
      retention: .init(count: 3, age: 60), lostAbove: 20, head: MemoryCatalogs.head(),
      images: images, counts: counts, problems: 0)
  }

  private static func result(
    _ header: ShardHeader, _ images: [(line: Int, text: String)]
  ) -> String {
    let lines = images.map { ShardHeader.line($0.line, Array($0.text.utf8), sha256: ["ab"]) }
    return ([header.line] + lines).map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
  }

  @Test func resultsOfShardsAreWrittenWithoutThem() async throws {
    let (a, b, c) = (
      (line: 3, text: MemoryCatalogs.image("id-a")),
      (line: 4, text: MemoryCatalogs.image("id-b", status: "stale")),
      (line: 6, text: MemoryCatalogs.image("id-c"))
    )
    let path = ShardHeader.path(1, of: 2)
    let whole = Self.result(Self.header(3, ["ok": 2, "stale": 1]), [a, b, c])
    let others = [
      ShardHeader.path(0, of: 2): Self.result(Self.header(1, ["ok": 1]), [c]),
      "shards/2/note.txt": whole, "shards/notes.jsonl": whole, "shards/2/odd.jsonl": "id-b\n",
    ]
    try output.write(path, Array(whole.utf8))
    for (name, text) in others { try output.write(name, Array(text.utf8)) }
    var erasure = try await self.erasure("b")
    try await erasure.eraseShards()
    #expect(erasure.erased == MemoryCatalogs.erased("b", [path]))
    #expect(try output.text(path) == Self.result(Self.header(2, ["ok": 2]), [a, c]))
    for (name, text) in others { #expect(try output.text(name) == text, "\(name)") }
    var last = try await self.erasure("ac")
    try await last.eraseShards()
    #expect(try output.text(path) == Self.result(Self.header(0, [:]), []))
    #expect(last.erased.documents == Set<Identifier>(of: [path, ShardHeader.path(0, of: 2)]))
  }

  private static let url = "https://example.com/id-b.jpg"
  private static let report = """
    {"images":2,"id":"id-b",
     "failures":[{"code":"dns",
       "examples":[{"id":"id-b","message":"x"},{"id":"id-a","message":"\(url)"}]}],
     "messages":["see id-b","see id-a",{"message":"\(url)"},7],
     "slowest":{"first":{"id":"id-b"},"second":{"id":"id-a"}}}
    """
  private static let rest = """
    {
      "images": 2,
      "id": "id-b",
      "failures": [
        {
          "code": "dns",
          "examples": [
            {
              "id": "id-a",
              "message": "\(url)"
            }
          ]
        }
      ],
      "messages": [
        "see id-a",
        7
      ],
      "slowest": {
        "second": {
          "id": "id-a"
        }
      }
    }

    """

  /// An id that is equal in Unicode names another image, and a mark after a quote is not part of it.
  @Test func messagesAreSearchedByTheirBytes() async throws {
    func report(_ messages: [String]) -> String {
      "{\n  \"messages\": [\n" + messages.map { "    \"\($0)\"" }.joined(separator: ",\n")
        + "\n  ]\n}\n"
    }
    let twin = "see cafe\u{301} here"
    let messages = ["see caf\u{E9} here", twin, "see \u{301}x here"]
    try output.write("run.json", Array(report(messages).utf8))
    var erasure = try await CatalogErasure(
      ["caf\u{E9}", "\u{301}x"], from: output, catalogs.workspace)
    try await erasure.eraseReport("run.json")
    #expect(Array(try output.text("run.json").utf8) == Array(report([twin]).utf8))
  }

  /// Examples and messages that name an image, or its source, leave a report; counts stay.
  @Test func reportsAreWrittenWithoutThem() async throws {
    try await catalogs.publish(["id-a", "id-b"])
    let path = ShardHeader.reportPath(1, of: 2)
    for name in ["run.json", path] { try output.write(name, Array(Self.report.utf8)) }
    var erasure = try await self.erasure("b")
    try await erasure.eraseCurrent()
    try await erasure.eraseReport("run.json")
    try await erasure.eraseShards()
    #expect(erasure.erased == MemoryCatalogs.erased("b", ["catalog.json", "run.json", path]))
    for name in ["run.json", path] { #expect(try output.text(name) == Self.rest) }
    // Neither a missing report, nor one that is not JSON, is one of them; one without the image
    // stays as it is.
    try output.write("run.json", Array("id-b".utf8))
    var other = try await self.erasure("z")
    for name in ["run.json", path, "none.json"] { try await other.eraseReport(name) }
    #expect(other.erased == .init())
    #expect(try output.text(path) == Self.rest)
  }
}
