import Glibc
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
    var isOver = false
    var failure: String?
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
  ///
  /// The other one has a thread of its own: the threads of tasks may all be busy with tests, and this one waits for it.
  @Test func aFolderThatAnotherTakesIsMadeAnew() throws {
    let above = try TemporaryFolder()
    let directory = try Directory(above.path(""))
    try BackgroundThread.start {
      while !Self.other.withLock({ $0.isOver }) {
        do { try Self.takeFolder(in: directory) } catch {
          Self.other.withLock { $0.failure = "\(error)" }
        }
      }
    }
    defer { Self.other.withLock { $0.isOver = true } }
    // The other one is often first, if the machine is not busy.
    for number in 0..<2_000 where Self.other.withLock({ $0.taken < 100 }) {
      Self.other.withLock { $0.name = "\(number)" }
      var calls = 0
      let folder = try LockedFolder(in: directory) {
        calls += 1
        return calls == 1 ? "\(number)" : "\(number).\(calls)"
      }
      while Self.other.withLock({ $0.isTaking }) { sched_yield() }
      try #require(directory.exists(folder.name))
    }
    Self.other.withLock { $0.isOver = true }
    while Self.other.withLock({ $0.isTaking }) { sched_yield() }
    #expect(Self.other.withLock { $0.failure } == nil)
    #expect(try directory.list() == [])
    withExtendedLifetime(above) {}
  }
}
