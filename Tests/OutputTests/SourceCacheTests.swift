import Foundation
import Synchronization
import TesseraBytes
import TesseraOutput
import TesseraSystem
import TesseraTestSupport
import Testing

/// Which sources are dropped when the cache is full: those that were not used for the longest time.
@Suite struct SourceCacheTests {
  private let folder: TemporaryFolder
  /// Seconds since 1970; every look at the clock takes one.
  private let clock = WallClock {
    ticks.withLock { ticks in
      ticks += 1
      return ticks
    }
  }
  private static let ticks = Mutex(1_000.0)

  private let workspace: Workspace

  init() throws {
    folder = try TemporaryFolder()
    workspace = Workspace(
      try Directory(folder.path("work"), creates: true), of: "the output")
    try workspace.clear()
  }

  private func cache(room: Int) throws -> SourceCache {
    try SourceCache(in: workspace, limit: room * 10, clock: clock)
  }

  /// Ten bytes, and their digest.
  private static func source(_ name: String) -> (bytes: [UInt8], digest: String) {
    let bytes = Array(name.padding(toLength: 10, withPad: ".", startingAt: 0).utf8)
    return (bytes, SHA256.of(bytes))
  }

  private func keep(_ names: String..., in cache: SourceCache) throws {
    for name in names {
      let source = Self.source(name)
      // The cache links the file, so each has its own.
      let file = workspace.spool("\(UUID())")
      try file.open(.create).write(source.bytes)
      cache.keep(file, as: source.digest)
    }
  }

  private func restore(_ name: String, from cache: SourceCache) throws -> Bool {
    let restored = workspace.spool("restored")
    try restored.remove()
    return cache.restore(Self.source(name).digest, to: restored)
  }

  /// Sets when a cached file was last used, in seconds since 1970.
  private func setTime(_ name: String, _ seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: seconds)],
      ofItemAtPath: folder.path("work/cache/\(Self.source(name).digest)"))
  }

  private func names(in cache: SourceCache) -> String {
    "abcdefgh".filter { cache.has(Self.source(String($0)).digest) }
  }

  @Test func theOldestLeavesFirst() throws {
    let cache = try cache(room: 3)
    try keep("a", "b", "c", in: cache)
    #expect(names(in: cache) == "abc")
    try keep("d", in: cache)
    #expect(names(in: cache) == "bcd")
    try keep("e", "f", in: cache)
    #expect(names(in: cache) == "def")
    #expect(folder.files(below: "work/cache").count == 3)
  }

  @Test func aUsedSourceStays() throws {
    let cache = try cache(room: 3)
    try keep("a", "b", "c", in: cache)
    #expect(try restore("a", from: cache))
    try keep("d", in: cache)
    #expect(names(in: cache) == "acd")
    // So does one that was fetched again.
    try keep("c", "e", in: cache)
    #expect(names(in: cache) == "cde")
  }

  @Test func theNextRunKnowsWhatWasUsed() throws {
    var cache = try cache(room: 4)
    try keep("a", "b", "c", "d", in: cache)
    for (index, name) in ["a", "b", "c", "d"].enumerated() {
      try setTime(name, Double(100 + index))
    }
    #expect(try restore("a", from: cache))
    try keep("b", in: cache)
    // With a smaller limit, room is made at once.
    cache = try self.cache(room: 3)
    #expect(names(in: cache) == "abd")
    cache = try self.cache(room: 2)
    #expect(names(in: cache) == "ab")
  }

  /// The clock was ahead when a source was used: it counts as used now, and not longer than that.
  @Test func aSourceFromTheFutureIsNotKeptForever() throws {
    var cache = try cache(room: 2)
    try keep("a", "b", in: cache)
    try setTime("a", 4e9)
    try setTime("b", 100)
    cache = try self.cache(room: 2)
    try keep("c", in: cache)
    #expect(names(in: cache) == "ac")
    try keep("d", in: cache)
    #expect(names(in: cache) == "cd")
  }

  @Test func whatIsTooLargeIsNotKept() throws {
    let cache = try cache(room: 2)
    try keep("a", in: cache)
    let large = workspace.spool("large")
    try large.open(.create).write([UInt8](repeating: 0, count: 21))
    cache.keep(large, as: "large")
    #expect(names(in: cache) == "a")
    #expect(!cache.has("large"))
  }

  /// A copy whose bytes have changed is dropped and makes room.
  @Test func aDamagedSourceLeaves() throws {
    let cache = try cache(room: 2)
    try keep("a", "b", in: cache)
    try Data("damaged...".utf8).write(
      to: URL(filePath: folder.path("work/cache/\(Self.source("b").digest)")))
    #expect(try !restore("b", from: cache))
    #expect(names(in: cache) == "a")
    #expect(folder.files(below: "").allSatisfy { !$0.contains("restored") })
    try keep("c", in: cache)
    #expect(names(in: cache) == "ac")
  }

  /// With many sources, a tenth is dropped at once, the oldest first.
  @Test func manySourcesLeaveTogether() throws {
    let cache = try cache(room: 1_000)
    let names = (0...1_000).map { "\($0)" }
    for name in names { try keep(name, in: cache) }
    #expect(names.map { cache.has(Self.source($0).digest) } == names.indices.map { $0 > 100 })
  }
}
