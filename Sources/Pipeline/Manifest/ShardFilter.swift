internal import TesseraManifest
internal import TesseraSystem

/// Leaves out what other shards process.
struct ShardFilter {
  /// Nil for a run of all items, which rejects a part of a manifest.
  let shard: Shard?
  /// Whether headers go to one host only.
  let hasUnboundHeaders: Bool

  /// - Parameters:
  ///   - manifest: the records are its first ones, or later ones.
  ///   - checkHost: called with each entry of another shard: all shards together send headers without a
  ///     host to one host only.
  /// - Throws: ``TesseraError`` of the code `manifest` if the manifest was split in another way.
  func owned(
    _ records: [ManifestRecord], of manifest: ManifestStream,
    _ checkHost: (ManifestEntry) throws -> Void
  ) throws -> [ManifestRecord] {
    guard let shard else { return records }
    let part = manifest.shard
    var owned: [ManifestRecord] = []
    for record in records {
      switch record {
      case .entry(let entry) where shard.owns(entry.id): owned.append(record)
      case .entry(let entry):
        guard part == nil else { throw wronglySplit(manifest, entry) }
        if hasUnboundHeaders { try checkHost(entry) }
      case .problem(let problem):
        if part != nil || shard.owns(line: problem.line) { owned.append(record) }
      }
    }
    return owned
  }

  /// To be called when the manifest's first line was read, or its end.
  ///
  /// - Throws: ``TesseraError`` of the code `manifest` if it is a part for another shard.
  func check(_ manifest: ManifestStream) throws {
    guard let part = manifest.shard else { return }
    guard part == shard else {
      throw TesseraError.manifest(
        path: manifest.path,
        reason: "it is the part for shard \(part); use run --shard \(part), or the whole manifest")
    }
    guard !hasUnboundHeaders else {
      throw TesseraError.manifest(
        path: manifest.path,
        reason:
          "it is a part, which does not show whether the others have another host, and headers "
          + "without a host are sent to one host only; bind them (fetch.headers: [{host: …}])")
    }
  }

  /// The shard that the entry belongs to would never see it.
  private func wronglySplit(
    _ manifest: ManifestStream, _ entry: ManifestEntry
  ) -> TesseraError {
    .manifest(
      path: manifest.path,
      reason:
        "\(manifest.words(forLine: entry.line)) has no id, and its URL makes one of another shard; split the "
        + "manifest again with --pipeline, so that its \"base\" and \"ignore-query\" apply")
  }
}
