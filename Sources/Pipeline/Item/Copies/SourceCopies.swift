internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// Kept bytes of sources: those that other items of this run wait for, and those that are cached for
/// later runs.
struct SourceCopies: Sendable {
  let run: RunCopies
  /// Nil if no sources are cached (`fetch.cache`).
  let cache: SourceCache?
  let acceptance: Acceptance
  let workspace: Workspace

  /// Whether a usable copy of the known bytes exists.
  func has(_ source: KnownSource, of item: Item) -> Bool {
    guard let record = source.record, let content = source.content, acceptance.accepts(content)
    else { return false }
    return run.has(record.content, of: item.sourceKey) || cache?.has(record.content) == true
  }

  /// Puts the known bytes of an item's source into the spool. Returns false without a usable copy.
  func restore(_ work: Work) -> Bool {
    let item = work.item
    guard has(work.source, of: item), let record = work.source.record,
      let content = work.source.content
    else { return false }
    let path = workspace.spoolPath("\(item.position)")
    guard
      run.restore(record.content, of: item.sourceKey, to: path)
        || cache?.restore(record.content, to: path) == true
    else { return false }
    // What can't be removed now is removed when the next run starts.
    work.atEnd { try? FileSystem.remove(path) }
    work.bytes = SourceBytes(
      path: path, digest: record.content, header: HeaderFacts(content), isCopy: true)
    work.reasons.append(.keptCopy)
    return true
  }

  func keep(_ bytes: SourceBytes, of item: Item) {
    cache?.keep(bytes.path, as: bytes.digest)
    run.keep(bytes.path, as: bytes.digest, of: item.sourceKey)
  }
}
