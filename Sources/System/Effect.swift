internal import Glibc
internal import Synchronization

/// What a run does to the disk, counted, so that a test can kill it after each: the n-th write, rename, removal or
/// commit, for every n. In debug builds alone, by the variable `TESSERA_KILL_AFTER_EFFECT`.
package enum Effect {
  #if DEBUG
    private static let limit = Host.environment("TESSERA_KILL_AFTER_EFFECT").flatMap { Int($0) }
    private static let count = Mutex(0)

    /// To be called after each.
    package static func happened() {
      guard let limit else { return }
      let isLast = count.withLock { count in
        count += 1
        return count == limit
      }
      if isLast { kill(getpid(), SIGKILL) }
    }
  #else
    @inline(__always) package static func happened() {}
  #endif
}
