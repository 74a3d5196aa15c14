package import TesseraState

extension StateStore {
  /// Claims items that belong to no chunk of an earlier catalog.
  package func claim(
    _ requests: [ClaimRequest], key: Chunk.Key? = nil, run: Int, slot: Int = 0,
    in claims: ChunkClaims = ChunkClaims(ChunkIndex())
  ) throws -> [Claim] {
    let found = try claim([.items(requests, key: key, line: 0)], run: run, slot: slot, in: claims)
    guard case .items(let answers, _)? = found.first else { return [] }
    return answers
  }

  /// Ends a run that has copied no chunk.
  @discardableResult
  package func endRun(
    _ run: Int, _ completed: CompletedRun, _ chunks: [Chunk] = [], settings: String = ""
  ) throws -> Bool {
    try endRun(run, completed, chunks, ChunkClaims(ChunkIndex()), settings: settings)
  }
}

extension StateStore.ChunkClaim {
  /// What items mean, and the chunk of those that are new; nil for a chunk that stands.
  package var answer: (claims: [StateStore.Claim], chunk: Chunk)? {
    if case .items(let claims, let chunk) = self { (claims, chunk) } else { nil }
  }
}
