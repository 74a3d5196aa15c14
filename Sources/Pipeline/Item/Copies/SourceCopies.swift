internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

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

  /// Puts the known bytes of an item's source into the spool. Returns nil without a usable copy.
  func restore(_ source: KnownSource, for context: ItemContext) -> SourceBytes? {
    let item = context.item
    guard has(source, of: item), let record = source.record, let content = source.content
    else { return nil }
    let spool = workspace.spool("\(item.position)")
    guard
      run.restore(record.content, of: item.sourceKey, to: spool)
        || cache?.restore(record.content, to: spool) == true
    else { return nil }
    // What can't be removed now is removed when the next run starts.
    context.atEnd { try? spool.remove() }
    context.reasons.append(.keptCopy)
    return SourceBytes(
      place: .file(path: spool.path), count: spool.size, digest: record.content,
      content: content)
  }

  func keep(_ bytes: SourceBytes, of item: Item) {
    guard cache != nil || run.isWanted(item.sourceKey) else { return }
    let spool = workspace.spool("\(item.position)")
    if case .memory(let bytes) = bytes.place {
      // A copy is a second name of a file. Without one nothing is kept.
      guard (try? spool.open(.write).write(bytes)) != nil else {
        try? spool.remove()
        return
      }
    }
    cache?.keep(spool, as: bytes.digest)
    run.keep(spool, as: bytes.digest, of: item.sourceKey)
    if case .memory = bytes.place { try? spool.remove() }
  }
}
