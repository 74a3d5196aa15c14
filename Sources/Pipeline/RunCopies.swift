internal import Synchronization
internal import TesseraOutput
internal import TesseraSystem

/// Sources that other items of the run wait for: an item that needs other files of one than the item before works on the
/// same bytes, without asking for them again.
///
/// A copy is never the reason why something fails: where there is none, the source is asked for.
final class RunCopies: Sendable {
  private struct Copy {
    var digest: String
    var path: String
  }

  private let sources: KeyedQueue
  private let output: DirectoryOutput
  private let copies = Mutex<[String: Copy]>([:])

  /// So many at once, so that the spool has a bound.
  private static let limit = 32

  /// - Parameter sources: the queue of those who wait, by the sources' keys.
  init(of sources: KeyedQueue, in output: DirectoryOutput) {
    self.sources = sources
    self.output = output
  }

  /// Keeps the bytes of a source, if somebody waits for it. The file stays where it is, too.
  ///
  /// To be called by the one whose turn it is.
  func keep(_ spool: String, as digest: String, of key: String) {
    guard sources.isAwaited(key), copies.withLock({ $0.count < Self.limit && $0[key] == nil })
    else {
      return
    }
    let path = output.spoolPath("copy-\(key)")
    guard (try? FileSystem.link(spool, as: path)) != nil else { return }
    copies.withLock { $0[key] = Copy(digest: digest, path: path) }
  }

  func has(_ digest: String, of key: String) -> Bool {
    copies.withLock { $0[key]?.digest == digest }
  }

  /// Puts the bytes of a source at a path. False where they are not here.
  func restore(_ digest: String, of key: String, to target: String) -> Bool {
    guard let copy = copies.withLock({ $0[key] }), copy.digest == digest else { return false }
    return (try? FileSystem.link(copy.path, as: target)) != nil
  }

  /// Lets go of a source, if nobody waits for it any more.
  ///
  /// To be called by the one whose turn it is.
  func release(_ key: String) {
    guard !sources.isAwaited(key) else { return }
    // What can't be removed now is removed at the next run's start.
    if let copy = copies.withLock({ $0.removeValue(forKey: key) }) {
      try? FileSystem.remove(copy.path)
    }
  }
}
