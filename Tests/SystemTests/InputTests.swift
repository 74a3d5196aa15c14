import Foundation
import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraSystem

/// Files and pipes that may block who reads or writes them.
@Suite struct InputTests {
  @Test func readsAFileInPieces() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("hello", to: "a")
    let reader = InputReader(try File(path, .read))
    #expect(reader.size == 5)
    #expect(try await reader.read(3) == Array("hel".utf8))
    #expect(try await reader.read(3) == Array("lo".utf8))
    #expect(try await reader.read(3) == [])
    #expect(try !reader.hasChanged())
    try File(path, .append).write([1])
    #expect(try reader.hasChanged())
    reader.stop()
    #expect(try await reader.read(3) == nil)
  }

  @Test func aReadThatWaitsIsStopped() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let writer = ends[1]
    defer { close(writer) }
    let reader = InputReader(File(path: "pipe", descriptor: ends[0]))
    #expect(reader.size == nil)
    #expect(try !reader.hasChanged())
    #expect(write(writer, "ab", 2) == 2)
    #expect(try await reader.read(9) == Array("ab".utf8))
    async let waiting = reader.read(9)
    reader.stop()
    #expect(try await waiting == nil)
  }

  @Test func anErrorOfTheFileIsThrown() async throws {
    let folder = try TemporaryFolder()
    let reader = InputReader(try File(try folder.write("abc", to: "a"), .append))
    await #expect(throws: SystemError("read", folder.path("a"), code: EBADF)) {
      try await reader.read(3)
    }
  }

  // MARK: Named pipes

  @Test func aPipeNeedsAReader() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    mkfifo(path, 0o600)
    #expect(throws: SystemError.noReader(path)) {
      _ = try NamedPipe(path, patience: .milliseconds(5))
    }
    // However long the patience, the end is before it.
    #expect(throws: SystemError.noReader(path)) {
      _ = try NamedPipe(path, patience: .seconds(600), end: .now.advanced(by: .milliseconds(5)))
    }
    #expect(throws: SystemError.noReader(path)) {
      _ = try NamedPipe(path, patience: .seconds(600), end: .now.advanced(by: .seconds(-5)))
    }
    #expect(throws: SystemError("open", folder.path("none"), code: ENOENT)) {
      _ = try NamedPipe(folder.path("none"), patience: .seconds(20))
    }
  }

  /// Who comes too late finds the pipe closed again, and does not wait for its end.
  @Test func aPipeThatWasGivenUpIsClosed() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    mkfifo(path, 0o600)
    #expect(throws: SystemError.noReader(path)) {
      _ = try NamedPipe(path, patience: .milliseconds(5))
    }
    let reader = try File(path, .readWithoutWaiting)
    #expect(try reader.waitUntilReadable(milliseconds: 20_000))
    var bytes: [UInt8] = []
    #expect(try reader.read(9, into: &bytes) == 0)
  }

  @Test func aPipeIsWrittenAsItIsRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    mkfifo(path, 0o600)
    // More than a pipe holds (64 kB).
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }
    let found = Found()
    try BackgroundThread.start {
      var all: [UInt8] = []
      if let reader = try? File(path, .read) {
        while let count = try? reader.read(50_000, into: &all), count > 0 {}
      }
      found.bytes.withLock { $0 = all }
      found.isComplete.signal()
    }
    do {
      let pipe = try NamedPipe(path, patience: .seconds(60))
      try pipe.write([])
      try pipe.write(bytes)
    }
    found.isComplete.wait()
    #expect(found.bytes.withLock { $0 == bytes })
  }

  private final class Found: Sendable {
    let bytes = Mutex<[UInt8]>([])
    let isComplete = DispatchSemaphore(value: 0)
  }

  /// A reader may stop reading, or end.
  @Test func aWriteEndsWithItsPatience() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    mkfifo(path, 0o600)
    let reader = try File(path, .readWithoutWaiting)
    let bytes = [UInt8](repeating: 1, count: 300_000)
    let late = SystemError("write to", path, code: ETIMEDOUT)
    for (patience, end) in [(Duration.seconds(2), 600), (.seconds(600), 20)] {
      let pipe = try NamedPipe(
        path, patience: patience, end: .now.advanced(by: .milliseconds(end * 100)))
      do throws(SystemError) {
        try pipe.write(bytes)
        Issue.record("it was written")
      } catch {
        #expect(error == late)
      }
      var read: [UInt8] = []
      #expect(try reader.read(1 << 20, into: &read) == 65_536)
    }
  }

  // MARK: Threads

  @Test func aPoolReturnsWhatItsCallsDo() async throws {
    let pool = BlockingPool(limit: 2)
    let found = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<50 { group.addTask { await pool.run { number * 2 } } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.sorted() == (0..<50).map { $0 * 2 })
    let error = SystemError("read", "a", code: EIO)
    await #expect(throws: error) {
      try await pool.run { () throws(SystemError) -> Int in throw error }
    }
  }

  /// Counts the calls that run at the same time, and their threads.
  private final class Crowd: Sendable {
    let state = Mutex((running: 0, most: 0, threads: Set<UInt>()))

    func run(_ body: () -> Void) {
      state.withLock { state in
        state.running += 1
        state.most = max(state.most, state.running)
        state.threads.insert(UInt(pthread_self()))
      }
      body()
      state.withLock { $0.running -= 1 }
    }
  }

  /// Calls at a time: as many as the limit, which may wait for one another, and no more.
  @Test func aPoolHasAsManyThreadsAsItsLimit() async throws {
    let pool = BlockingPool(limit: 3)
    let crowd = Crowd()
    let together = DispatchSemaphore(value: 0)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await pool.run { crowd.run { for _ in 0..<2 { together.wait() } } } }
      for _ in 0..<2 { group.addTask { await pool.run { crowd.run { together.signal() } } } }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<9 { group.addTask { await pool.run { crowd.run { usleep(2_000) } } } }
    }
    #expect(crowd.state.withLock { $0.most } <= 3)
    #expect(crowd.state.withLock { $0.threads.count } <= 3)
  }

  @Test func aThreadRunsItsBodyOnce() throws {
    let crowd = Crowd()
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<3 {
      try BackgroundThread.start { crowd.run { done.signal() } }
    }
    for _ in 0..<3 { done.wait() }
    #expect(done.wait(timeout: .now()) == .timedOut)
  }
}
