import TesseraTestSupport
import Testing

@testable import TesseraManifest

/// Lines that are compared with those of an earlier run.
@Suite struct ManifestChunkTests {
  private static func parts(
    _ lines: [String], pieces: Int = 1 << 20, limit: Int = 1_000
  ) -> (parts: [ManifestChunk], records: [ManifestRecord]) {
    var reader = ManifestReader()
    var parts: [ManifestChunk] = []
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      var rest = bytes[start..<min(bytes.count, start + pieces)]
      while !rest.isEmpty { parts += reader.parts(&rest, limit: limit) }
    }
    parts += reader.finishParts()
    return (parts, parts.flatMap { reader.records(of: $0) })
  }

  private static func records(_ lines: [String]) -> [ManifestRecord] {
    var reader = ManifestReader()
    return reader.read(Array(lines.map { $0 + "\n" }.joined().utf8)) + reader.finish()
  }

  private static func list(_ count: Int) -> [String] {
    (0..<count).map { #"{"id":"p\#($0)","url":"https://a.example/\#($0 * 7919).jpg"}"# }
  }

  private static let table =
    ["id,url,alt"] + (0..<50).map { "p\($0),https://a.example/\($0),\"two\nlines \($0)\"" }
  private static let text = ["# a comment", ""] + (0..<50).map { "https://a.example/\($0)" }

  @Test(arguments: [list(200), table, text, ["{}", "", "odd"] + list(40) + ["{"], []])
  func partsHaveTheSameRecordsHoweverTheyArrive(_ lines: [String]) {
    let whole = Self.parts(lines)
    #expect(whole.records == Self.records(lines))
    for (pieces, limit) in [(1, 1), (7, 3), (1_000, 20)] {
      let other = Self.parts(lines, pieces: pieces, limit: limit)
      #expect(other.records == whole.records)
      #expect(other.parts.map(\.digest) == whole.parts.map(\.digest))
      #expect(other.parts.map(\.line) == whole.parts.map(\.line))
    }
    #expect(whole.parts.allSatisfy { (1...32).contains($0.count) })
  }

  /// A line more, or less, or another one, changes its part, and one beside it at most.
  @Test func aChangeConcernsItsPart() {
    let lines = Self.list(2_000)
    let before = Self.parts(lines).parts.compactMap(\.digest)
    #expect((100...250).contains(before.count) && Set(before).count == before.count)
    let line = #"{"id":"new","url":"https://a.example/new.jpg"}"#
    let changes: [(inout [String]) -> Void] = [
      { $0[1_000] = line }, { $0.insert(line, at: 1_000) }, { $0.remove(at: 1_000) },
      { $0.insert(line, at: 1) }, { $0[1_000] += " " },
    ]
    for (index, change) in changes.enumerated() {
      var other = lines
      change(&other)
      let lost = Set(before).subtracting(Self.parts(other).parts.compactMap(\.digest))
      #expect((1...3).contains(lost.count), "\(index)")
    }
  }

  /// The same lines under another header row, or in another format, are other images.
  @Test func theMeaningOfLinesCounts() {
    let rows = Array(Self.table.dropFirst())
    let digests = [["id,url,alt"], ["alt,url,id"], ["id,url,title"], []].map { header in
      Set(Self.parts(header + rows).parts.compactMap(\.digest))
    }
    for (index, one) in digests.enumerated() {
      for other in digests.dropFirst(index + 1) { #expect(one.isDisjoint(with: other)) }
    }
  }

  /// The first line decides about the format; lines that are too long, and quotes that stay open, are problems.
  @Test func whatIsNoPlainLineIsNotCompared() {
    #expect(Self.parts(["https://a.example/1"]).parts.map(\.digest) == [nil])
    let long = String(repeating: "x", count: RecordSplitter.maximumLength + 1)
    let mixed = Self.parts(Self.list(3) + [long] + Self.list(3)).parts
    #expect(mixed.map { $0.digest != nil } == [false, true, false, true])
    #expect(mixed.map(\.line) == [1, 2, 4, 5])
    // Long lines are few in a part.
    let large = (0..<20).map { #"{"url":"https://a.example/\#($0)\#(long.prefix(40_000))"}"# }
    #expect(Self.parts(large).parts.allSatisfy { $0.count <= 2 })
  }
}
