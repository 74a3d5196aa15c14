internal import Glibc
internal import Synchronization

/// Counts what a run does to the disk, so that a test can kill it after the n-th write, rename,
/// removal or commit, for every n. Only in debug builds, by `TESSERA_KILL_AFTER_EFFECT=n`.
package enum Effect {
  #if DEBUG
    private static let limit = Host.environment("TESSERA_KILL_AFTER_EFFECT").flatMap { Int($0) }
    private static let count = Mutex(0)

    /// To be called after each effect.
    package static func happened() {
      guard let limit else { return }
      let isLast = count.withLock { count in
        count += 1
        return count == limit
      }
      // SIGKILL, because no handler, `defer` or `deinit` may run: the test imitates a power cut.
      if isLast { kill(getpid(), SIGKILL) }
    }
  #else
    @inline(__always) package static func happened() {}
  #endif
}
