import TesseraCatalog
import TesseraMemoryOutput
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// The results of shards, as the program that merges them reads them.
@Suite struct ShardHeaderTests {
  private static let header = ShardHeader(
    shard: 3, shards: 8, manifest: "m", pipeline: "p", libvips: "8.14",
    screens: [
      CatalogScreen(
        name: "feed", selection: .init(slots: ["card"], types: ["image/webp"], scales: [2]),
        first: 50, part: 500)
    ],
    retention: CatalogRetention(count: 2, age: 60, changes: 2), lostAbove: 12.5,
    head: #"{"b":1,"a":[]}"#,
    images: 5, counts: ["stale": 1, "failed": 0, "ok": 4], problems: 6)

  private static let line =
    #"{"schema":"tessera-shard/1","shard":3,"shards":8,"manifest":"m","pipeline":"p","#
    + #""libvips":"8.14","#
    + #""screens":[{"name":"feed","first":50,"part":500,"slots":["card"],"types":["image/webp"],"#
    + #""scales":[2]}],"keepCatalogs":2,"keepCatalogsSeconds":60,"changes":2,"#
    + #""lostAbove":12.5,"images":5,"counts":{"failed":0,"ok":4,"stale":1},"manifestProblems":6,"#
    + #""catalog":{"b":1,"a":[]}}"#

  @Test func theFirstLineHasWhatShardsAgreeOn() {
    #expect(String(decoding: Self.header.line, as: UTF8.self) == Self.line)
    #expect(ShardHeader(line: Array(Self.line.utf8)) == Self.header)
    var other = Self.header
    (other.screens, other.retention.changes) = ([], 0)
    let text = Self.line.replacing(/"screens":.*\]\}\],/, with: "")
      .replacing(#""changes":2,"#, with: "")
    #expect(String(decoding: other.line, as: UTF8.self) == text)
    #expect(ShardHeader(line: Array(text.utf8)) == other)
  }

  /// Each member without which it is not a header.
  @Test(arguments: [
    "schema", "shard", "shards", "manifest", "pipeline", "libvips", "images", "counts",
    "manifestProblems", "catalog",
  ])
  func withoutAMemberItIsNoHeader(_ name: String) {
    let text = Self.line.replacing("\"\(name)\":", with: "\"x\(name)\":")
    #expect(text != Self.line)
    #expect(ShardHeader(line: Array(text.utf8)) == nil)
  }

  @Test(arguments: ["", "{}", "{", "tessera-shard/2"])
  func otherTextsAreNoHeaders(_ text: String) {
    let line =
      text == "tessera-shard/2" ? Self.line.replacing("tessera-shard/1", with: text) : text
    #expect(ShardHeader(line: Array(line.utf8)) == nil)
  }

  /// Of an older version, which did not have these members: the defaults of pipeline files.
  @Test func anOlderHeaderHasTheDefaults() {
    let text = [
      #""keepCatalogs":2,"#, #""keepCatalogsSeconds":60,"#, #""lostAbove":12.5,"#,
      #""changes":2,"#,
    ].reduce(Self.line) { $0.replacing($1, with: "") }
    var header = Self.header
    header.lostAbove = 20
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
    #expect(!isSame { $0.head = "x" })
    #expect(!isSame { $0.screens = [] })
  }

  @Test func imagesAreReadWithTheirLines() {
    for (digests, text) in [([], ""), (["ab"], #""ab""#), (["ab", "cd"], #""ab","cd""#)] {
      let line = ShardHeader.line(12, Array(#"{"id":"a"}"#.utf8), sha256: digests)
      #expect(
        String(decoding: line, as: UTF8.self)
          == #"{"line":12,"sha256":[\#(text)],"image":{"id":"a"}}"#)
      let slice = ([0] + line + [0])[1..<line.count + 1]
      let found = ShardHeader.image(slice)
      #expect(found?.line == 12 && found?.sha256 == digests)
      #expect(found.map { String(decoding: $0.image, as: UTF8.self) } == #"{"id":"a"}"#)
    }
    for text in [
      "", "{}", #"{"line":,"sha256":[],"image":{}}"#, #"{"line":12,"sha256":[],"image":{"#,
      #"{"line":1x,"sha256":[],"image":{}}"#, #"{"Line":12,"sha256":[],"image":{}}"#,
      #"{"line":12,"sha256":[],"images":{}}"#, #"{"line":12,"image":{}}"#,
      #"{"line":12,"sha256":["ab","image":{}}"#,
      #"{"line":99999999999999999999,"sha256":[],"image":{}}"#,
    ] {
      #expect(ShardHeader.image(Array(text.utf8)[...]) == nil, "\(text)")
    }
  }

  /// Its lines name files by the formats of its head.
  @Test func aHeaderHasTheFormatsOfItsHead() {
    var header = Self.header
    #expect(header.formats == [])
    header.head = MemoryCatalogs.head()
    #expect(header.formats.map(\.type) == ["image/webp", "image/jpeg", "image/avif"])
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
