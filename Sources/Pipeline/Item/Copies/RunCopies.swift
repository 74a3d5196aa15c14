internal import Synchronization
internal import TesseraOutput

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
