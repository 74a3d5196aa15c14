internal import TesseraManifest
internal import TesseraState
internal import TesseraSystem

/// Chunks of the manifest that need nothing new: their lines are those of the last catalog, and so is everything else that they
/// were made of. They are neither decoded nor looked up.
///
/// Files are looked for by the mark of the output (``Output/mark()``), which changes when one is added, removed or replaced.
/// It does not when a file is cut off where it is; `verify` finds that, and has its item looked at.
struct ChunkReuse: Sendable {
  let parent: ParentLines
  /// A digest of everything that a run follows, but the manifest and the output.
  let settings: String
  /// Whether the output is as the last run left it: if not, chunks are made for the next run.
  let finds: Bool
  let clock: WallClock

  /// What identifies the chunk that consists of a part's entries; nil if they are not to be compared.
  func key(of part: ManifestChunk) -> Chunk.Key? {
    part.digest.map { Self.key(settings, $0) }
  }

  static func key(_ settings: String, _ digest: String) -> Chunk.Key {
    Chunk.Key(of: "\(settings)\n\(digest)")
  }

  /// The places of the chunks that stand; nil for each other part.
  func standing(_ parts: [ManifestChunk]) -> [Int?] {
    parts.map { finds ? key(of: $0).flatMap { standing($0) } : nil }
  }

  /// - Parameter isWanted: whether the run is for its images.
  func standing(_ key: Chunk.Key, isWanted: Bool = true) -> Int? {
    guard let (place, chunk) = parent.index.chunk(with: key),
      Verdicts.copies(chunk, isWanted: isWanted, now: clock.now()),
      // After a rollback, the catalog is another one.
      parent.bytes(of: chunk) != nil
    else { return nil }
    return place
  }
}
