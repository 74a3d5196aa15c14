import TesseraCatalog
import TesseraMemoryOutput
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// The results of shards, as the program that merges them reads them.
@Suite struct ShardHeaderTests {
  private static let header = ShardHeader(
    shard: 3, shards: 8, manifest: "m", pipeline: "p", libvips: "8.14", form: .jsonl,
    publication: .init(
      pages: 40,
      screens: [
        CatalogScreen(
          name: "feed", selection: .init(slots: ["card"], types: ["image/webp"], scales: [2]),
          first: 50,
          pages: 500)
      ]),
    retention: CatalogRetention(count: 2, age: 60, patches: 2), lostAbove: 12.5,
    head: #"{"b":1,"a":[]}"#,
    images: 5, counts: ["stale": 1, "failed": 0, "ok": 4], problems: 6)

  private static let line =
    #"{"schema":"tessera-shard/1","shard":3,"shards":8,"manifest":"m","pipeline":"p","#
    + #""libvips":"8.14","format":"jsonl","pages":40,"#
    + #""screens":[{"name":"feed","first":50,"pages":500,"slots":["card"],"types":["image/webp"],"#
    + #""scales":[2]}],"keepCatalogs":2,"keepCatalogsSeconds":60,"patches":2,"#
    + #""lostAbove":12.5,"images":5,"counts":{"failed":0,"ok":4,"stale":1},"manifestProblems":6,"#
    + #""catalog":{"b":1,"a":[]}}"#

  @Test func theFirstLineHasWhatShardsAgreeOn() {
    #expect(String(decoding: Self.header.line, as: UTF8.self) == Self.line)
    #expect(ShardHeader(line: Array(Self.line.utf8)) == Self.header)
    var other = Self.header
    (other.publication.pages, other.form) = (nil, .json)
    let text = Self.line.replacing(#""pages":40,"#, with: "").replacing("jsonl", with: "json")
    #expect(String(decoding: other.line, as: UTF8.self) == text)
    #expect(ShardHeader(line: Array(text.utf8)) == other)
  }

  /// Each member without which it is not a header.
  @Test(arguments: [
    "schema", "shard", "shards", "manifest", "pipeline", "libvips", "format", "images", "counts",
    "manifestProblems", "catalog",
  ])
  func withoutAMemberItIsNoHeader(_ name: String) {
    let text = Self.line.replacing("\"\(name)\":", with: "\"x\(name)\":")
    #expect(text != Self.line)
    #expect(ShardHeader(line: Array(text.utf8)) == nil)
  }

  @Test(arguments: ["", "{}", "{", "tessera-shard/2", "xml"])
  func otherTextsAreNoHeaders(_ text: String) {
    let line =
      switch text {
      case "tessera-shard/2": Self.line.replacing("tessera-shard/1", with: text)
      case "xml": Self.line.replacing("jsonl", with: text)
      default: text
      }
    #expect(ShardHeader(line: Array(line.utf8)) == nil)
  }

  /// Of an older version, which did not have these members: the defaults of pipeline files.
  @Test func anOlderHeaderHasTheDefaults() {
    let text = [
      #""keepCatalogs":2,"#, #""keepCatalogsSeconds":60,"#, #""lostAbove":12.5,"#,
      #""pages":40,"#, #""patches":2,"#,
    ].reduce(Self.line) { $0.replacing($1, with: "") }
    var header = Self.header
    (header.publication.pages, header.lostAbove) = (nil, 20)
    header.retention = CatalogRetention(count: 3, age: 604_800)
    #expect(ShardHeader(line: Array(text.utf8)) == header)
  }

  @Test func shardsOfOneRunHaveTheSameInputs() {
    func isSame(_ change: (inout ShardHeader) -> Void) -> Bool {
      var other = Self.header
      change(&other)
      #expect(Self.header.isOfSameInputs(as: other) == other.isOfSameInputs(as: Self.header))
      return Self.header.isOfSameInputs(as: other)
    }
    #expect(
      isSame { header in
        (header.shard, header.shards, header.images, header.problems) = (1, 2, 3, 4)
        (header.counts, header.retention.count, header.lostAbove) = ([:], 9, 1)
      })
    #expect(!isSame { $0.manifest = "x" })
    #expect(!isSame { $0.pipeline = "x" })
    #expect(!isSame { $0.libvips = "x" })
    #expect(!isSame { $0.form = .json })
    #expect(!isSame { $0.head = "x" })
    #expect(!isSame { $0.publication.pages = nil })
  }

  @Test func imagesAreReadWithTheirLines() {
    let line = ShardHeader.line(12, Array(#"{"id":"a"}"#.utf8))
    #expect(String(decoding: line, as: UTF8.self) == #"{"line":12,"image":{"id":"a"}}"#)
    let slice = ([0] + line + [0])[1..<line.count + 1]
    let found = ShardHeader.image(slice)
    #expect(found?.line == 12)
    #expect(found.map { String(decoding: $0.image, as: UTF8.self) } == #"{"id":"a"}"#)
    for text in [
      "", "{}", #"{"line":,"image":{}}"#, #"{"line":12,"image":{}"#.replacing("}", with: ""),
      #"{"line":1x,"image":{}}"#, #"{"Line":12,"image":{}}"#, #"{"line":12,"images":{}}"#,
      #"{"line":99999999999999999999,"image":{}}"#,
    ] {
      #expect(ShardHeader.image(Array(text.utf8)[...]) == nil, "\(text)")
    }
  }

  @Test func resultsAndReportsHaveTheirPlaces() {
    #expect(ShardHeader.path(3, of: 8) == "shards/8/3.jsonl")
    #expect(ShardHeader.reportPath(3, of: 8) == "shards/8/3.run.json")
  }

  /// The first line may be longer than a part of the file.
  @Test(arguments: [0, 100_000])
  func theHeaderIsReadFromTheBeginning(_ length: Int) async throws {
    let output = MemoryOutput()
    var header = Self.header
    header.head = "{\"x\":\"\(String(repeating: "y", count: length))\"}"
    try output.write("a", header.line + Array("\nmore\n".utf8))
    #expect(try await ShardHeader.read("a", in: output) == header)
    #expect(output.reads.count == (length == 0 ? 1 : 2))
    try output.write("a", header.line)
    #expect(try await ShardHeader.read("a", in: output) == nil)
    try output.write("a", Array("more\n".utf8) + header.line + [10])
    #expect(try await ShardHeader.read("a", in: output) == nil)
  }
}
