import TesseraCatalog
import TesseraManifest
import TesseraText
import Testing

@Suite struct ShardTests {
  /// The rule never changes: int(hashlib.sha256(id.encode()).hexdigest()[:16], 16) % N in Python.
  @Test(arguments: [
    ("p1", 3, 587), ("", 4, 652), ("a/b", 5, 61), ("ü", 4, 28),
    ("https://example.com/p1.jpg", 5, 821),
  ])
  func anIdIsAlwaysInTheSameShard(_ id: String, _ ofEight: Int, _ ofThousand: Int) {
    #expect(Shard.index(of: id, among: 8) == ofEight)
    #expect(Shard.index(of: id, among: 1_000) == ofThousand)
    #expect((0..<8).filter { Shard($0, of: 8)?.owns(id) == true } == [ofEight])
  }

  @Test func shardsAreWrittenAsIndexAndCount() {
    #expect(Shard("3/8") == Shard(3, of: 8))
    #expect(Shard("0/1")?.description == "0/1")
    for text in ["8/8", "-1/8", "1/0", "1", "1/", "/8", "1/8/2", "a/8", "1/100001", ""] {
      #expect(Shard(text) == nil, "\(text)")
    }
  }

  @Test func linesOfAPartKeepAllThatTheManifestSays() throws {
    let entries = [
      ManifestEntry(
        line: 12, id: "ü \" \\", url: "https://example.com/a.jpg", slots: ["card"],
        focus: .init(x: 0.1234567, y: 1), extra: #"{"n":1.50}"#),
      ManifestEntry(line: 13, id: nil, url: "https://example.com/b.jpg?token=1"),
    ]
    let records: [ManifestRecord] =
      entries.map { .entry($0) } + [.problem(ManifestProblem(line: 14, message: "no"))]
    var part = SplitManifest(try #require(Shard(3, of: 8)))
    var bytes = part.firstLine
    for record in records { bytes += part.line(record) }
    bytes += part.lastLine(manifestDigest: "abc")
    var reader = ManifestReader(shown: ShownURLs(ignoring: ["token"]))
    let read = reader.read(bytes) + reader.finish()
    var expected = records
    var second = ManifestEntry(line: 13, id: nil, url: "https://example.com/b.jpg?token=1")
    second.id = "https://example.com/b.jpg"
    expected[1] = .entry(second)
    #expect(read == expected)
    #expect(reader.split?.shard == Shard(3, of: 8))
    #expect(reader.split?.manifestDigest == "abc")
    // Cut off anywhere behind the first line, it is not whole.
    for end in part.firstLine.count..<bytes.count - 1 {
      var reader = ManifestReader()
      _ = reader.read(Array(bytes[..<end]))
      #expect(reader.split?.manifestDigest == nil)
    }
  }
}
