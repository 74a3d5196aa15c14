internal import Synchronization
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

/// Sources that other items of this run wait for: an item that needs other files of a source than the
/// item before works on the same bytes without a second request.
///
/// A copy is never the reason why something fails: without one the source is requested.
final class RunCopies: Sendable {
  private struct Copy {
    var digest: String
    var file: WorkFile
  }

  private let sources: KeyedQueue
  private let workspace: Workspace
  private let copies = Mutex<[String: Copy]>([:])

  /// The spool holds at most this number of copies.
  private static let limit = 32

  /// - Parameter sources: the queue of items that wait for a source, by the sources' keys.
  init(of sources: KeyedQueue, in workspace: Workspace) {
    self.sources = sources
    self.workspace = workspace
  }

  /// Whether another item waits for a source whose bytes are not kept yet.
  func isWanted(_ key: String) -> Bool {
    sources.isAwaited(key) && copies.withLock { $0.count < Self.limit && $0[key] == nil }
  }

  /// Keeps the bytes of a source if another item waits for it. The caller holds the source's turn. The
  /// file also stays where it is.
  func keep(_ spool: WorkFile, as digest: String, of key: String) {
    guard isWanted(key) else { return }
    let file = workspace.spool("copy-\(key)")
    // A hard link takes no bytes. If it fails, nothing is kept, and the source is requested.
    guard (try? spool.link(as: file)) != nil else { return }
    copies.withLock { $0[key] = Copy(digest: digest, file: file) }
  }

  func has(_ digest: String, of key: String) -> Bool {
    copies.withLock { $0[key]?.digest == digest }
  }

  /// Gives the bytes of a source a second name. Returns false if it has none.
  func restore(_ digest: String, of key: String, to target: WorkFile) -> Bool {
    guard let copy = copies.withLock({ $0[key] }), copy.digest == digest else { return false }
    return (try? copy.file.link(as: target)) != nil
  }

  /// Drops the copy of a source if no other item waits for it. The caller holds the source's turn.
  func release(_ key: String) {
    guard !sources.isAwaited(key) else { return }
    // What can't be removed now is removed when the next run starts.
    if let copy = copies.withLock({ $0.removeValue(forKey: key) }) {
      try? copy.file.remove()
    }
  }
}
