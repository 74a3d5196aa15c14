package import TesseraState

extension StateStore {
  /// Claims items that belong to no chunk of an earlier catalog.
  package func claim(
    _ requests: [ClaimRequest], key: Chunk.Key? = nil, run: Int, slot: Int = 0,
    in claims: ChunkClaims? = nil
  ) throws -> [Claim] {
    let claims = try claims ?? .none
    let found = try claim([.items(requests, key: key, line: 0)], run: run, slot: slot, in: claims)
    guard case .items(let answers, _)? = found.first else { return [] }
    return answers
  }

  /// Ends a run.
  @discardableResult
  package func endRun(
    _ run: Int, _ completed: CompletedRun, _ chunks: [Chunk] = [], _ claims: ChunkClaims? = nil,
    gone: [String]? = nil, settings: String = ""
  ) throws -> Bool {
    try endRun(
      run, completed, try ChunkList(chunks), try claims ?? .none, gone: gone, settings: settings)
  }

  package func save(_ chunks: [Chunk]) throws { try save(try ChunkList(chunks)) }

  package func endSelection(_ run: Int, _ chunks: [Chunk], settings: String) throws {
    try endSelection(run, try ChunkList(chunks), settings: settings)
  }
}

extension ChunkClaims {
  /// Of a run without a parent.
  package static var none: ChunkClaims { get throws { ChunkClaims(try ChunkIndex()) } }
}

extension ChunkIndex {
  package init(_ chunks: [Chunk], isWhole: Bool = false) throws {
    try self.init(try ChunkList(chunks), isWhole: isWhole)
  }

  package var chunks: [Chunk] { (0..<count).compactMap { chunk(at: $0) } }
}

extension ChunkList {
  package var chunks: [Chunk] {
    get throws { try (0..<count).map { try chunk(at: $0) } }
  }
}

extension StateStore.ChunkClaim {
  /// What items mean, and the chunk of those that are new; nil for a chunk that stands.
  package var answer: (claims: [StateStore.Claim], chunk: Chunk)? {
    if case .items(let claims, let chunk) = self { (claims, chunk) } else { nil }
  }
}
