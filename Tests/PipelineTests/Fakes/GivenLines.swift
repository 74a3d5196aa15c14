import TesseraManifest
import TesseraOutput
import TesseraPipelineFile

@testable import TesseraPipeline
@testable import TesseraState

/// Lines of a catalog that a test gives.
struct GivenLines: CatalogLines {
  var lines: [String]

  var count: Int { lines.count }

  func forEachBatch(_ body: ([[UInt8]]) async throws -> Void) async throws {
    try await body(lines.map { Array($0.utf8) })
  }

  func write(to draft: inout CatalogDraft) async throws -> ChunkList {
    for line in lines { try draft.add(Array(line.utf8)) }
    return ChunkList()
  }
}

extension RunInMemory {
  /// Lines of a run without a parent.
  func lines() throws -> RunLines {
    try RunLines(try ParentLines(), in: workspace.spoolDirectory)
  }

  /// Those of one chunk: each with its line in the manifest, an id and a text.
  func lines(_ given: [(number: Int, id: String, text: String)]) throws -> RunLines {
    let lines = try lines()
    let chunk = try lines.begin(Chunk(Chunk.Key(1, 0), count: given.count, line: 1), slot: 0)
    for (slot, line) in given.enumerated() {
      let entry = ManifestEntry(line: line.number, id: line.id, url: Self.url(line.id))
      let item = Item(entry, position: slot, file.fetch).placed(at: slot, in: chunk, slot: slot)
      try lines.put(Array(line.text.utf8), of: item)
    }
    return lines
  }
}
