import Synchronization
import TesseraNet
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// The lock of an output whose state is in its store.
@Suite struct StoreLockTests {
  /// An object of a store in memory, with a clock that tests move.
  private final class Object: LockObject {
    struct Content {
      var bytes: [UInt8]
      var etag: String
      var written: Int
    }

    struct State {
      var content: Content?
      var now = 0
      var writes = 0
      var requests = 0
      /// Answers that get lost although the request was done: the number of the request.
      var lost: Set<Int> = []
    }

    /// The clock of what answers is this far ahead of the store's.
    let skew = Mutex(0)
    let state = Mutex(State())
    let ignoresConditions: Bool

    init(ignoresConditions: Bool = false) { self.ignoresConditions = ignoresConditions }

    func pass(_ seconds: Int) { state.withLock { $0.now += seconds } }

    func read() -> (bytes: [UInt8], etag: String, age: Duration)? {
      let skew = skew.withLock(\.self)
      return state.withLock { state in
        state.content.map { ($0.bytes, $0.etag, .seconds(state.now + skew - $0.written)) }
      }
    }

    func age() -> Duration? {
      state.withLock { state in state.content.map { .seconds(state.now - $0.written) } }
    }

    func write(_ bytes: [UInt8], if condition: StoreClient.Condition) -> String? {
      state.withLock { state in
        state.requests += 1
        let holds =
          switch condition {
          case .isNew: state.content == nil
          case .isUnchanged(let etag): state.content?.etag == etag
          }
        guard holds || ignoresConditions else { return nil }
        state.writes += 1
        // As in stores: the same bytes have the same ETag.
        let etag = "\(bytes.hashValue)"
        state.content = Content(bytes: bytes, etag: etag, written: state.now)
        // The client sends the request again, and its condition no longer holds.
        return state.lost.contains(state.requests) ? nil : etag
      }
    }

    func delete() { state.withLock { $0.content = nil } }
  }

  @Test func oneOfTwoHasIt() throws {
    let object = Object()
    let (a, b) = (StoreLock(object, holder: "a"), StoreLock(object, holder: "b"))
    guard case .taken(let etag) = try a.take() else { throw Unexpected() }
    object.pass(100)
    #expect(try b.take() == .held(by: "a", age: .seconds(100)))
    #expect(try #require(try StoreLock.holder(of: object)).name == "a")
    let renewed = try #require(try a.renew(1, etag: etag))
    object.pass(100)
    #expect(try b.take() == .held(by: "a", age: .seconds(100)))
    #expect(try a.renew(2, etag: renewed) != nil)
    // What is not b's stays.
    try b.release()
    #expect(object.read() != nil)
    try a.release()
    #expect(object.read() == nil)
    guard case .taken = try b.take() else { throw Unexpected() }
  }

  @Test func oneThatIsNotRenewedIsTakenOver() throws {
    let object = Object()
    let (a, b) = (StoreLock(object, holder: "a"), StoreLock(object, holder: "b"))
    guard case .taken(let etag) = try a.take() else { throw Unexpected() }
    object.pass(120)
    #expect(try StoreLock.holder(of: object) == nil)
    guard case .taken(let other) = try b.take() else { throw Unexpected() }
    // a wakes up.
    #expect(try a.renew(1, etag: etag) == nil)
    try a.release()
    #expect(try b.renew(1, etag: other) != nil)
  }

  /// A lock that a dead process with the same workspace has left is the next one's at once.
  @Test func oneWithTheSameTokenIsTakenOverAtOnce() throws {
    let object = Object()
    let (a, b) = (
      StoreLock(object, holder: "a", token: "t"), StoreLock(object, holder: "b", token: "t")
    )
    guard case .taken = try a.take() else { throw Unexpected() }
    object.pass(119)
    guard case .taken(let etag) = try b.take() else { throw Unexpected() }
    // It is not about to end, as that of the dead process was.
    object.pass(119)
    #expect(try StoreLock(object, holder: "c").take() == .held(by: "b", age: .seconds(119)))
    #expect(try b.renew(1, etag: etag) != nil)
  }

  /// A gateway answers with a time of its own.
  @Test(.faults(.s3)) func clocksOfGatewaysDoNotMatter() throws {
    let object = Object()
    let (a, b) = (StoreLock(object, holder: "a"), StoreLock(object, holder: "b"))
    guard case .taken = try a.take() else { throw Unexpected() }
    object.skew.withLock { $0 = 3_600 }
    #expect(try b.take() == .held(by: "a", age: .zero))
    #expect(try b.holderOrEnd(of: object)?.name == "a")
    object.skew.withLock { $0 = -3_600 }
    object.pass(120)
    guard case .taken = try b.take() else { throw Unexpected() }
  }

  /// A shard's lock, and that of the whole output, exclude each other. One that was left behind is ended: its holder, if it
  /// lives after all, finds it lost.
  @Test func aLockOfTheOtherKindThatWasLeftIsEnded() throws {
    let object = Object()
    let (a, b) = (StoreLock(object, holder: "a"), StoreLock(Object(), holder: "b"))
    guard case .taken(let etag) = try a.take() else { throw Unexpected() }
    object.pass(119)
    #expect(try b.holderOrEnd(of: object)?.age == .seconds(119))
    #expect(try a.renew(1, etag: etag) != nil)
    object.pass(120)
    #expect(try b.holderOrEnd(of: object) == nil)
    #expect(object.read() == nil)
    #expect(try a.renew(2, etag: etag) == nil)
    #expect(try b.holderOrEnd(of: object) == nil)
  }

  /// A request may be done, and its answer be lost: the second one finds the condition violated by the
  /// first.
  @Test(arguments: 1...4)
  func lostAnswersDoNotLoseIt(_ number: Int) throws {
    let object = Object()
    object.state.withLock { $0.lost = [number] }
    let lock = StoreLock(object, holder: "a")
    guard case .taken(var etag) = try lock.take() else { throw Unexpected() }
    for renewal in 1...3 { etag = try #require(try lock.renew(renewal, etag: etag)) }
  }

  /// The lock that was written to end another one is none that another process holds.
  @Test func aLostAnswerEndsALockAllTheSame() throws {
    let object = Object()
    _ = try StoreLock(object, holder: "dead").take()
    object.pass(120)
    object.state.withLock { $0.lost = [$0.requests + 1] }
    #expect(try StoreLock(Object(), holder: "a").holderOrEnd(of: object) == nil)
    #expect(object.read() == nil)
  }

  /// Some servers accept a condition without looking at it.
  @Test func storesWithoutConditionsAreNoticed() throws {
    let object = Object(ignoresConditions: true)
    #expect(try StoreLock(object, holder: "a").take() == .unsupported)
    #expect(object.read() == nil)
  }

  /// Whatever the order in which many take, lose, renew and release it, at most one believes that it
  /// has it while it is valid.
  @Test func atMostOneHasIt() async throws {
    for round in 0..<200 {
      let object = Object()
      let locks = (0..<4).map { StoreLock(object, holder: "\($0)") }
      if round % 2 == 0 {
        _ = try StoreLock(object, holder: "dead").take()
        object.pass(121)
      }
      let taken = try await withThrowingTaskGroup { group in
        for lock in locks {
          group.addTask { if case .taken = try lock.take() { 1 } else { 0 } }
        }
        return try await group.reduce(0, +)
      }
      #expect(taken == 1)
    }
  }

  private struct Unexpected: Error {}
}
