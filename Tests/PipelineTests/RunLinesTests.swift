import TesseraManifest
import TesseraPipelineFile
import Testing

@testable import TesseraPipeline
@testable import TesseraState

/// Which chunks of a run's catalog the next run may copy.
@Suite struct RunLinesTests {
  private static let kept = KeptLine(freshUntil: 9, places: 2, files: 1)

  /// Whether each chunk may stand whose items end in this way; nil for an item that may not.
  private static func stand(
    _ ends: [[KeptLine?]], mayStand: Bool = true
  ) async throws -> [Chunk] {
    let run = try RunInMemory()
    let lines = try run.lines()
    var items: [(Item, KeptLine?)] = []
    for ends in ends {
      var chunk = Chunk(Chunk.Key(items.count, 0), count: ends.count, line: items.count + 1)
      chunk.mayStand = mayStand
      let place = try lines.begin(chunk, slot: items.count)
      for end in ends {
        let slot = items.count
        let entry = ManifestEntry(line: slot + 1, id: "\(slot)", url: RunInMemory.url("\(slot)"))
        let item = Item(entry, position: slot, run.file.fetch)
          .placed(at: slot, in: place, slot: slot)
        items.append((item, end))
      }
    }
    for (item, end) in items {
      try lines.put([0x7B, 0x7D], of: item)
      try lines.ended(item, end)
    }
    let written = try await lines.writeChunks { lines, _ in (0..<lines.count, nil) }
    return try (0..<written.count).map { try written.chunk(at: $0) }
  }

  @Test func aChunkStandsIfAllOfItDoes() async throws {
    let kept = Self.kept
    let later = KeptLine(freshUntil: 12, places: 3, files: 2)
    let chunks = try await Self.stand([[kept, later], [nil, kept], [kept, nil], [later]])
    #expect(chunks.map(\.mayStand) == [true, false, false, true])
    #expect(chunks.map(\.freshUntil) == [9, 0, 0, 12])
    #expect((chunks[0].places, chunks[0].files) == (5, 3))
    // Its key does not stand for what it is.
    #expect(try await Self.stand([[kept, kept]], mayStand: false).map(\.mayStand) == [false])
  }

  /// What is not known to the end does not stand.
  @Test func chunksBeyondThoseThatAreOpenDoNot() async throws {
    let chunks = try await Self.stand(Array(repeating: [Self.kept], count: 10_002))
    #expect(chunks.count { $0.mayStand } == 10_000)
    #expect(chunks.suffix(2).allSatisfy { !$0.mayStand })
  }
}
