import Foundation
import Synchronization
import TesseraBytes
package import TesseraManifest
package import TesseraOutput
package import TesseraSystem

/// An output in memory.
package final class MemoryOutput: Output {
  private struct State {
    var files: [String: [UInt8]] = [:]
    var published = 0
    var hasMark = false
    /// The number of files that are still accepted; nil for no limit.
    var room: Int?
    /// A document that can't be written.
    var unwritable: String?
    /// A file that can't be read.
    var unreadable: String?
    /// What happens after a look at sizes.
    var afterSizes: (@Sendable () -> Void)?
    /// What was read: the path, and the number of bytes.
    var reads: [(path: String, bytes: Int)] = []
  }

  private let state = Mutex(State())

  package init() {}

  package let isDurable = true

  // MARK: For tests

  /// The error of a full output.
  package static let full = SystemError("write to", "memory", code: ENOSPC)

  /// Paths of all files, sorted.
  package var paths: [String] { state.withLock { $0.files.keys.sorted() } }

  /// All files, to be put back.
  package var files: [String: [UInt8]] {
    get { state.withLock(\.files) }
    set { state.withLock { $0.files = newValue } }
  }

  /// Whether it tells when a file is added, removed or replaced.
  package var hasMark: Bool {
    get { state.withLock(\.hasMark) }
    set { state.withLock { $0.hasMark = newValue } }
  }

  package func mark() -> OutputMark? {
    state.withLock { state in
      guard state.hasMark else { return nil }
      let files = state.files.filter { !$0.key.hasPrefix(".") && $0.key != "run.json" }
      let folders = Dictionary(grouping: files) { FileSystem.parent(of: $0.key) }
      return OutputMark(
        folders.sorted { $0.key < $1.key }.map { folder, files in
          (folder, files.map { "\($0.key) \($0.value.count)" }.sorted().joined(separator: "\n"))
        })
    }
  }

  /// How often a file was published.
  package var published: Int { state.withLock(\.published) }

  package func setUnwritable(_ name: String?) { state.withLock { $0.unwritable = name } }
  package func setUnreadable(_ name: String?) { state.withLock { $0.unreadable = name } }

  /// Something happens once, right after a look at sizes.
  package func interruptAfterSizes(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.afterSizes = body }
  }

  /// The text of a document.
  package func text(_ name: String) throws(SystemError) -> String {
    String(decoding: try bytes(of: name), as: UTF8.self)
  }

  /// The parts of files that were read, in order.
  package var reads: [(path: String, bytes: Int)] { state.withLock(\.reads) }

  package func setRoom(_ room: Int?) { state.withLock { $0.room = room } }

  // MARK: Output

  package var location: String { "memory" }

  package func prepare() {}
  package func clearDrafts(of shard: Shard?) {}

  package func publish(staged: String, as path: String) throws(SystemError) -> Bool {
    if sizes(of: [path])[0] != nil { return false }
    let bytes = try FileSystem.read(staged, limit: .max)
    let isAccepted = state.withLock { state in
      if state.room == 0 { return false }
      state.room = state.room.map { $0 - 1 }
      state.files[path] = bytes
      state.published += 1
      return true
    }
    guard isAccepted else { throw Self.full }
    try FileSystem.remove(staged)
    return true
  }

  package func sizes(of paths: [String]) -> [Int?] {
    let (sizes, interruption) = state.withLock { state in
      defer { state.afterSizes = nil }
      return (paths.map { state.files[$0]?.count }, state.afterSizes)
    }
    interruption?()
    return sizes
  }

  package func changed(_ path: String) -> Double? {
    state.withLock { $0.files[path] == nil ? nil : 0 }
  }

  package func stillHas(_ files: [(path: String, bytes: Int)]) -> [Bool] {
    zip(files, sizes(of: files.map(\.path))).map { $0.bytes == $1 }
  }

  package func read(_ path: String, _ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    let part = Array(try bytes(of: path).dropFirst(offset).prefix(count))
    state.withLock { $0.reads.append((path, part.count)) }
    return part
  }

  package func open(_ path: String, _ workspace: Workspace) -> OpenDocument? {
    guard let bytes = state.withLock({ $0.files[path] }) else { return nil }
    return OpenDocument(size: bytes.count) { count, offset in
      Array(bytes.dropFirst(offset).prefix(count))
    }
  }

  package func keepCopy(_ staged: WorkFile, _ workspace: Workspace) {}

  package func digest(of path: String) throws(SystemError) -> String {
    SHA256.of(try bytes(of: path))
  }

  package func list(_ folder: String) -> [OutputEntry] {
    var entries: [OutputEntry] = []
    let start = folder.isEmpty ? "" : folder + "/"
    for path in paths where path.hasPrefix(start) {
      let parts = path.dropFirst(start.count).split(separator: "/")
      let entry =
        parts.count == 1
        ? OutputEntry(String(parts[0]), .file(bytes: state.withLock { $0.files[path]?.count ?? 0 }))
        : OutputEntry(String(parts[0]), .folder)
      // The paths are sorted, so that one folder's are together.
      if entries.last != entry { entries.append(entry) }
    }
    return entries
  }

  package func delete(_ path: String) { state.withLock { $0.files[path] = nil } }

  package func write(_ name: String, staged: WorkFile) throws(SystemError) {
    if state.withLock({ $0.unwritable == name }) { throw Self.full }
    let bytes = try staged.open(.read).read(1 << 22, at: 0)
    state.withLock { $0.files[name] = bytes }
    try staged.remove()
  }

  package func create(_ path: String, staged: WorkFile) throws(SystemError) -> Bool {
    guard sizes(of: [path])[0] == nil else { return false }
    try write(path, staged: staged)
    return true
  }

  package func write(_ name: String, _ bytes: [UInt8]) throws(SystemError) {
    if state.withLock({ $0.unwritable == name }) { throw Self.full }
    state.withLock { $0.files[name] = bytes }
  }

  package func bytes(of path: String) throws(SystemError) -> [UInt8] {
    if state.withLock({ $0.unreadable == path }) {
      throw SystemError("read", path, code: EIO)
    }
    guard let bytes = state.withLock({ $0.files[path] }) else {
      throw SystemError("read", path, code: ENOENT)
    }
    return bytes
  }
}
