import Synchronization
package import TesseraManifest
package import TesseraOutput
package import TesseraSystem

/// An output in memory in which something happens before the n-th change to it.
package final class InterruptedOutput: Output {
  private let memory: MemoryOutput
  private let number: Int
  private let changes = Mutex(0)
  private let interruption: @Sendable () async throws(SystemError) -> Void

  /// - Parameter number: 1 for the first change.
  package init(
    _ memory: MemoryOutput, before number: Int,
    _ interruption: @escaping @Sendable () async throws(SystemError) -> Void
  ) {
    (self.memory, self.number, self.interruption) = (memory, number, interruption)
  }

  /// Whether there were as many changes.
  package var wasInterrupted: Bool { changes.withLock { $0 >= number } }

  private func change() async throws(SystemError) {
    let isNow = changes.withLock { count in
      count += 1
      return count == number
    }
    if isNow { try await interruption() }
  }

  package var location: String { memory.location }
  package var isDurable: Bool { memory.isDurable }
  package func prepare() {}
  package func clearDrafts(of shard: Shard?) {}
  package func sizes(of paths: [String]) -> [Int?] { memory.sizes(of: paths) }
  package func changed(_ path: String) -> Double? { memory.changed(path) }
  package func mark() -> OutputMark? { memory.mark() }
  package func stillHas(_ files: [(path: String, bytes: Int)]) -> [Bool] { memory.stillHas(files) }
  package func open(_ path: String, _ workspace: Workspace) -> OpenDocument? {
    memory.open(path, workspace)
  }
  package func keepCopy(_ staged: WorkFile, _ workspace: Workspace) {}
  package func read(_ path: String, _ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    try memory.read(path, count, at: offset)
  }
  package func digest(of path: String) throws(SystemError) -> String {
    try memory.digest(of: path)
  }
  package func list(_ folder: String) -> [OutputEntry] { memory.list(folder) }

  package func publish(staged: String, as path: String) async throws(SystemError) -> Bool {
    try await change()
    return try memory.publish(staged: staged, as: path)
  }

  package func delete(_ path: String) async throws(SystemError) {
    try await change()
    memory.delete(path)
  }

  package func write(_ name: String, staged: WorkFile) async throws(SystemError) {
    try await change()
    try memory.write(name, staged: staged)
  }

  package func create(_ path: String, staged: WorkFile) async throws(SystemError) -> Bool {
    try await change()
    return try memory.create(path, staged: staged)
  }

  package func write(_ path: String, _ bytes: [UInt8]) async throws(SystemError) {
    try await change()
    try memory.write(path, bytes)
  }
}
