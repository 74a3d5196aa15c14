internal import Synchronization
internal import TesseraSystem

/// Sources on disk, so that a pipeline that has changed, or files that were lost, need not fetch them again. What was
/// not used for longest goes first when there is more than the limit.
///
/// A cache is never the reason why something fails: what can't be kept is not kept, and a copy that is not what it
/// was is gone.
final class SourceCache: Sendable {
  private struct Entry {
    var size: Int
    /// Seconds since 1970.
    var used: Double
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var total = 0
  }

  private let directory: String
  private let limit: Int
  private let state: Mutex<State>

  /// Where there are many, room is made for a while: to this part of the limit.
  private static let kept = 0.9
  private static let many = 1_000

  /// - Parameter limit: in bytes.
  init(_ directory: String, limit: Int) throws(SystemError) {
    self.directory = directory
    self.limit = limit
    try FileSystem.makeDirectory(directory)
    try FileSystem.refuseLink(directory)
    var state = State()
    for name in try FileSystem.list(directory) {
      let path = FileSystem.join(directory, name)
      guard let (size, used) = FileSystem.sizeAndChange(ofFile: path) else { continue }
      state.entries[name] = Entry(size: size, used: used)
      state.total += size
    }
    self.state = Mutex(state)
    makeRoom()
  }

  private func path(_ digest: String) -> String { FileSystem.join(directory, digest) }

  func has(_ digest: String) -> Bool { state.withLock { $0.entries[digest] != nil } }

  /// Keeps a file's bytes under their digest. The file stays where it is, too.
  func keep(_ file: String, as digest: String) {
    guard !has(digest), let (size, _) = FileSystem.sizeAndChange(ofFile: file), size <= limit else {
      return
    }
    // No room on the disk, or no links on this file system: then there is no copy.
    guard (try? FileSystem.link(file, as: path(digest))) != nil else { return }
    let isOver = state.withLock { state in
      state.entries[digest] = Entry(size: size, used: Host.now)
      state.total += size
      return state.total > limit
    }
    if isOver { makeRoom() }
  }

  /// Puts the bytes of a digest at a path. False where they are not here, or not any more what they were.
  func restore(_ digest: String, to target: String) -> Bool {
    guard has(digest) else { return false }
    do throws(SystemError) {
      try FileSystem.link(path(digest), as: target)
      guard try FileSystem.sha256(of: target) == digest else {
        try FileSystem.remove(target)
        forget(digest)
        return false
      }
      try FileSystem.touch(path(digest))
    } catch {
      forget(digest)
      return false
    }
    state.withLock { $0.entries[digest]?.used = Host.now }
    return true
  }

  private func forget(_ digest: String) {
    state.withLock { state in
      if let entry = state.entries.removeValue(forKey: digest) { state.total -= entry.size }
    }
    // What can't be removed now is found again by the next run.
    try? FileSystem.remove(path(digest))
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
    for digest in gone { try? FileSystem.remove(path(digest)) }
  }
}
