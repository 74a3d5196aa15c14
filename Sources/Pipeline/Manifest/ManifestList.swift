internal import TesseraManifest

/// One list of a manifest, read on demand.
protocol ManifestList: AnyObject {
  /// The path or URL, without secrets.
  var path: String { get }
  /// The size in bytes, if it is known, and the bytes read so far.
  var size: Int? { get }
  var bytesRead: Int { get }
  /// SHA-256 of all of it; nil if it was not requested or there is none, and before the end unless that came first.
  var digest: String? { get }
  /// The part of a manifest that it is; nil for a whole one, and before the first record.
  var shard: Shard? { get }
  /// What the records so far say that does not become public.
  var leftOut: LeftOutMembers { get }
  /// How many of their URLs have secrets, which are not shown.
  var secrets: Int { get }
  /// How many of their URLs had to be encoded.
  var encoded: Int { get }
  /// Their rows that are not images.
  var omitted: OmittedRows { get }
  /// The mapping that a list without one probably needs; nil unless it was rejected.
  var suggestedColumns: ColumnMapping? { get }
  /// The number of the last line or row so far.
  var lastLine: Int { get }

  /// SHA-256 of all of it, before any is read; nil if it can be read only once, or is being written.
  func wholeDigest() async throws -> String?
  /// Has parts have digests, where no line has to wait for the next one.
  func makeParts()
  /// The records of a part, which are decoded once.
  func records(of part: ManifestChunk) -> [ManifestRecord]
  /// The next records in parts, or nil at the end.
  func nextParts() async throws -> [ManifestChunk]?
  /// Returns a function that ends the list here, also for a reader that waits. Any thread may call it.
  nonisolated func stopper() -> @Sendable () -> Void
}
