import Foundation
import Synchronization
import TesseraManifest
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// The lock of an output in a store, by the store's clock.
@Suite struct StoreLeaseTests {
  private static let (clock, whole, third, fourth) = (
    ".tessera/clock", ".tessera/lock", ".tessera/shards/8/3/lock", ".tessera/shards/8/4/lock"
  )
  private let store: ObjectStore

  init() throws {
    store = try ObjectStore([Self.clock, Self.whole, Self.third, Self.fourth])
  }

  private func lease(_ shard: Int? = nil, token: String = StoreLock.newToken) -> StoreLease {
    StoreLease(
      store.client, ObjectStore.location, shard: shard.flatMap { Shard($0, of: 8) }, token: token)
  }

  private static let holder = "process \(ProcessInfo.processInfo.processIdentifier) on \(Host.name)"

  private static func held(_ place: String, _ age: Int) -> String {
    "another run holds \"s3://feed/out\(place)\" (\(holder), last heard of \(age) s ago); wait "
      + "for it, or "
      + "end it: 120 s after its end it is forgotten"
  }

  /// A lock of a dead process is valid for two minutes, and not for longer.
  @Test func aLockIsTakenOverAfterItsTime() async throws {
    let (first, second) = (lease(), lease())
    try await first.take()
    for (pause, age) in [(0, 0), (60, 60), (59, 119)] {
      store.pass(pause)
      #expect(await errorText { try await second.take() } == Self.held("/.tessera", age))
    }
    store.pass(1)
    try await second.take()
    // The first one wakes up, and takes nothing away.
    await first.release()
    #expect(store.paths == [Self.clock, Self.whole])
    #expect(await errorText { try await first.take() } == Self.held("/.tessera", 0))
    await second.release()
    #expect(store.paths == [Self.clock])
  }

  /// Each part of the work confirms the lock, and at most every ten seconds that is a request.
  @Test func aLockIsRenewedInTime() async throws {
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    let lease = StoreLease(store.client, ObjectStore.location, shard: nil, token: "t") {
      start + passed.withLock { $0 }
    }
    try await lease.take()
    for (time, renewals) in [
      (0, 0), (9_999, 0), (10_000, 1), (19_999, 1), (20_000, 2), (90_000, 3),
    ] {
      passed.withLock { $0 = .milliseconds(time) }
      try await lease.confirm()
      let text = try #require(store.text(Self.whole))
      #expect(text.contains("\"renewals\":\(renewals),"), "after \(time) ms: \(text)")
    }
    await lease.release()
  }

  /// A store that is down is waited for once, and not once by each thread that needs the lock.
  @Test func threadsThatWaitShareTheFailureOfARenewal() async throws {
    let count = 6
    let isLate = Mutex(false)
    let callers = Mutex<Set<pthread_t>>([])
    let lease = StoreLease(store.client, ObjectStore.location, shard: nil, token: "t") {
      guard isLate.withLock(\.self) else { return .now }
      let now = ContinuousClock.now + .seconds(60)
      callers.withLock { _ = $0.insert(pthread_self()) }
      // All of them come before the one that renews goes on.
      for _ in 0..<5_000 where callers.withLock({ $0.count < count }) { usleep(1_000) }
      return now
    }
    try await lease.take()
    isLate.withLock { $0 = true }
    store.fail("PUT", "503 Slow Down")
    let before = store.requests.count
    let pool = BlockingPool(limit: count)
    let errors = await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          await errorText {
            try await pool.run { () throws(StoreError) in _ = try lease.confirmed() }
          }
        }
      }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(errors.count == 1 && errors.first??.contains("503") == true)
    #expect(store.requests.dropFirst(before) == ["PUT /feed/out/.tessera/lock"])
    // Who comes later tries again.
    #expect(throws: StoreError.self) { try lease.confirmed() }
    #expect(store.requests.count == before + 2)
    store.fail("PUT", nil)
    _ = try lease.confirmed()
    await lease.release()
  }

  @Test func aLockSaysWhoHoldsItAndSinceWhen() async throws {
    try await lease(token: "t").take()
    let object = try #require(store[Self.whole])
    #expect((object.type, object.caching) == ("application/json", "no-store"))
    let text = String(decoding: object.bytes, as: UTF8.self)
    let match = try #require(
      text.wholeMatch(
        of: /\{"holder":"(.*)","token":"t","renewals":0,"written":(\d+)\}\n/))
    #expect(match.1 == Self.holder)
    #expect(abs((Double(match.2) ?? 0) - Host.now) < 300)
    // With its token it is the next one's at once, which writes it anew: an old one would be taken over.
    store.pass(119)
    try await lease(token: "t").take()
    store.pass(7)
    #expect(await errorText { try await lease().take() } == Self.held("/.tessera", 7))
  }

  /// Shards run beside each other; the holder of the whole output is alone.
  @Test func shardsExcludeTheWhole() async throws {
    let shards = [lease(3), lease(4)]
    for shard in shards { try await shard.take() }
    #expect(store.paths == [Self.third, Self.fourth])
    store.pass(7)
    #expect(
      await errorText { try await lease(3).take() } == Self.held("/.tessera/shards/8/3", 7))
    #expect(await errorText { try await lease().take() } == Self.held("", 7))
    // It leaves no lock behind.
    #expect(store.paths == [Self.clock, Self.third, Self.fourth])
    await shards[0].release()
    #expect(await errorText { try await lease().take() } == Self.held("", 7))
    await shards[1].release()
    let whole = lease()
    try await whole.take()
    #expect(await errorText { try await lease(3).take() } == Self.held("", 0))
    #expect(store.paths == [Self.clock, Self.whole])
    // That of a dead process excludes none.
    store.pass(120)
    try await lease(3).take()
    await whole.release()
    store.pass(120)
    try await lease().take()
  }

  /// A run that cannot see the other locks leaves none of its own.
  @Test func aLockIsReleasedIfOthersCannotBeSeen() async throws {
    store.fail("GET /feed?", "403 Forbidden")
    let text = await errorText { try await lease().take() }
    #expect(text?.contains("was rejected: the store answered 403") == true)
    #expect(store.paths == [])
  }

  @Test func aStoreWithoutConditionsHasNoLocks() async throws {
    store.ignoreConditions()
    let text =
      "the store of the output \"s3://feed/out\" can't write an object on a condition, so two "
      + "runs would "
      + "not see each other; keep the state on a disk of this machine: add \"state: DIR\" to the "
      + "pipeline file"
    #expect(await errorText { try await lease().take() } == text)
    #expect(store.paths == [])
    store.fail("PUT", "501 Not Implemented")
    #expect(await errorText { try await lease().take() } == text)
  }

  /// Where the store does not say when a lock was written, its holder's clock has to do.
  @Test func aStatedAgeIsNeverNegative() {
    let now = Int(Host.now)
    for (written, least, most) in [
      ("\(now - 500)", 500, 800), ("\(now + 500)", 0, 0), ("\"x\"", now, now + 300),
    ] {
      let age = StoreLock.statedAge(of: Array("{\"written\":\(written)}".utf8))
      #expect((least...most).contains(Int(age.components.seconds)), "\(written)")
    }
    #expect(StoreLock.statedAge(of: []) > .seconds(now - 1))
    #expect(StoreLock.lease == .seconds(120))
  }

  // MARK: The object of a lock

  private var lockObject: StoredLockObject {
    StoredLockObject(
      client: store.client, location: ObjectStore.location.appending(Self.whole),
      clock: ObjectStore.location.appending(Self.clock))
  }

  /// Processes that look at a lock at the same time find the same age: none takes the store's time away from another.
  @Test func thoseWhoLookTogetherFindTheSameAge() async throws {
    let lease = lease()
    try await lease.take()
    store.pass(121)
    let object = lockObject
    let pool = BlockingPool(limit: 8)
    let ages = try await withThrowingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { try await pool.run { () throws(StoreError) in try object.age() } }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(ages == [.seconds(121)])
  }

  /// Only a condition that does not hold, or an object that is gone, is not an error.
  @Test func errorsOfTheObjectAreErrors() throws {
    let object = lockObject
    #expect(try object.read() == nil)
    let etag = try #require(try object.write([1], if: .isNew))
    #expect(try object.write([2], if: .isNew) == nil)
    #expect(try object.write([2], if: .isUnchanged(etag: "\"0\"")) == nil)
    store.pass(9)
    let found = try #require(try object.read())
    #expect(found.bytes == [1] && found.etag == etag && found.age == .seconds(9))
    #expect(try object.write([3], if: .isUnchanged(etag: etag)) != nil)
    try object.delete()
    #expect(try object.write([4], if: .isUnchanged(etag: etag)) == nil)
    store.fail("GET", "403 Forbidden")
    store.fail("PUT", "403 Forbidden")
    #expect(throws: StoreError.self) { try object.read() }
    #expect(throws: StoreError.self) { try object.write([5], if: .isNew) }
  }
}
