internal import Synchronization
package import TesseraSystem

/// Sources kept on disk for later runs: a changed pipeline or lost files need no second request. The
/// least recently used sources are dropped first when the cache is over its limit.
///
/// A cache is never the reason why something fails: what can't be kept is not kept, and a damaged copy
/// is dropped.
package final class SourceCache: Sendable {
  private struct Entry {
    var size: Int
    /// Seconds since 1970.
    var used: Double
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var total = 0
  }

  private let workspace: Workspace
  private let limit: Int
  private let clock: WallClock
  private let state: Mutex<State>

  /// With many sources, room is made for a while: down to this part of the limit. Otherwise every new
  /// source would sort all of them.
  private static let kept = 0.9
  private static let many = 1_000

  /// - Parameter limit: in bytes.
  package init(
    in workspace: Workspace, limit: Int, clock: WallClock = .system
  ) throws(SystemError) {
    self.workspace = workspace
    self.limit = limit
    self.clock = clock
    var state = State()
    for (name, size, used) in try workspace.cachedFiles() {
      // If the clock was set back, a file from the future would outlast all others.
      state.entries[name] = Entry(size: size, used: min(used, clock.now()))
      state.total += size
    }
    self.state = Mutex(state)
    // The limit may be smaller than in the last run.
    makeRoom()
  }

  package func has(_ digest: String) -> Bool { state.withLock { $0.entries[digest] != nil } }

  /// Keeps a file's bytes under their digest. The file also stays where it is.
  package func keep(_ file: WorkFile, as digest: String) {
    if has(digest) { return use(digest) }
    // A source that is larger than the limit would drop all others.
    guard let size = file.size, size <= limit else { return }
    // A full disk, or a file system without links: then nothing is cached.
    guard (try? file.link(as: workspace.cached(digest))) != nil else { return }
    let isOver = state.withLock { state in
      state.entries[digest] = Entry(size: size, used: clock.now())
      state.total += size
      return state.total > limit
    }
    if isOver { makeRoom() }
  }

  /// Gives the bytes of a digest a second name. Returns false if they are not cached, or are damaged.
  package func restore(_ digest: String, to target: WorkFile) -> Bool {
    guard has(digest) else { return false }
    do throws(SystemError) {
      try workspace.cached(digest).link(as: target)
      // The disk may have damaged the copy, and the state would then describe other bytes.
      guard try target.sha256() == digest else {
        try target.remove()
        forget(digest)
        return false
      }
    } catch {
      forget(digest)
      return false
    }
    use(digest)
    return true
  }

  private func use(_ digest: String) {
    // The next run reads from the file's time when it was last used; without it, it is dropped early.
    try? workspace.cached(digest).touch()
    state.withLock { $0.entries[digest]?.used = clock.now() }
  }

  private func forget(_ digest: String) {
    state.withLock { state in
      if let entry = state.entries.removeValue(forKey: digest) { state.total -= entry.size }
    }
    // What can't be removed now is found again by the next run.
    try? workspace.cached(digest).remove()
  }

  private func makeRoom() {
    let gone = state.withLock { state -> [String] in
      guard state.total > limit else { return [] }
      let enough = state.entries.count < Self.many ? Double(limit) : Double(limit) * Self.kept
      var gone: [String] = []
      for (digest, entry) in state.entries.sorted(by: { $0.value.used < $1.value.used }) {
        if Double(state.total) <= enough { break }
        state.entries[digest] = nil
        state.total -= entry.size
        gone.append(digest)
      }
      return gone
    }
    // A file that cannot be removed is counted again when the next run lists the folder.
    for digest in gone { try? workspace.cached(digest).remove() }
  }
}
