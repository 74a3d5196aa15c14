import Synchronization
import TesseraSystem
import TesseraTestSupport
import Testing

/// Folders whose lock shows that the process that made them lives.
@Suite struct LockedFolderTests {
  /// What another process does.
  private struct Other {
    var name = ""
    var isTaking = false
    var taken = 0
  }

  private static let other = Mutex(Other())

  private static func takeFolder(in directory: Directory) throws {
    let name = other.withLock { other in
      other.isTaking = true
      return other.name
    }
    defer { other.withLock { $0.isTaking = false } }
    guard let lock = try? directory.directory(name).lock() ?? nil else { return }
    try directory.removeTree(name)
    withExtendedLifetime(lock) {}
    other.withLock { $0.taken += 1 }
  }

  /// Another process may take one for left behind after it was made and before it was locked: then there is another.
  @Test func aFolderThatAnotherTakesIsMadeAnew() async throws {
    let above = try TemporaryFolder()
    let directory = try Directory(above.path(""))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { while !Task.isCancelled { try Self.takeFolder(in: directory) } }
      // The other one is often first, if the machine is not busy.
      for number in 0..<10_000 where Self.other.withLock({ $0.taken < 500 }) {
        Self.other.withLock { $0.name = "\(number)" }
        var calls = 0
        let folder = try LockedFolder(in: directory) {
          calls += 1
          return calls == 1 ? "\(number)" : "\(number).\(calls)"
        }
        while Self.other.withLock({ $0.isTaking }) { await Task.yield() }
        try #require(directory.exists(folder.name))
      }
      group.cancelAll()
      try await group.waitForAll()
    }
    #expect(try directory.list() == [])
    withExtendedLifetime(above) {}
  }
}
