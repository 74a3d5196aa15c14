internal import Synchronization
internal import TesseraManifest
internal import TesseraNet
internal import TesseraSystem

/// The lock of an output in a store, or of one of its shards, held by this process, wherever the state is:
///
///     .tessera/lock                   of the whole output: runs of all items, and tools that change it
///     .tessera/shards/8/3/lock        of a shard
///     .tessera/clock                  by which the age of all of them is found
///
/// Shards run beside each other; the holder of the whole output is alone.
final class StoreLease: Sendable {
  let client: StoreClient
  /// Nil for the whole output.
  let shard: Shard?
  private let output: StoreLocation
  private let folder: String
  private let lock: StoreLock
  private let clock: StoreLocation
  private let pool = BlockingPool(limit: 1)
  private let held = Mutex(Held())
  /// Held during a renewal: one thread does it for all. Why the last one failed, and when.
  private let renewal = Mutex<(error: StoreError, time: ContinuousClock.Instant)?>(nil)
  private let now: @Sendable () -> ContinuousClock.Instant

  private struct Held {
    var etag = ""
    var renewals = 0
    /// Nil before it is taken.
    var confirmed: ContinuousClock.Instant?
  }

  private static let lockName = "lock"

  /// How often the lock is renewed. A few renewals may fail before others take it for left behind.
  private static let renewalTime = Duration.seconds(20)

  /// How long after a renewal requests may take. Less than the lease: what a store was sent it may do a little later.
  private static let requestTime = StoreLock.lease - .seconds(20)

  /// - Parameters:
  ///   - shard: nil for the whole output.
  ///   - token: see ``StoreLock``.
  ///   - now: the time, for renewals.
  init(
    _ client: StoreClient, _ output: StoreLocation, shard: Shard?,
    token: String = StoreLock.newToken,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.client, self.shard) = (client, shard)
    self.now = now
    self.output = output
    folder = StoredState.folder(of: shard)
    clock = output.appending("\(StoredState.root)/clock")
    lock = StoreLock(
      StoredLockObject(
        client: client, location: output.appending("\(folder)/\(Self.lockName)"), clock: clock),
      holder: "process \(Host.processIdentifier) on \(Host.name)", token: token)
  }

  /// For messages.
  private var name: String { "\"\(output.appending(folder))\"" }

  /// Takes the lock.
  ///
  /// - Throws: ``TesseraError`` of the code `busy` if another process has it, or one that excludes it; or
  ///   ``TesseraError`` of the code `noConditions`.
  func take() async throws {
    try await call { lease in try lease.takeLock() }
  }

  private func takeLock() throws {
    let now = now()
    switch try lock.take() {
    case .unsupported: throw TesseraError.noConditions("\(output)")
    case .held(let holder, let age): throw TesseraError.leased(name, holder: holder, age: age)
    case .taken(let etag):
      held.withLock { $0 = Held(etag: etag, confirmed: now) }
      // After its own is written: of two that do this at the same time, at least one sees the other.
      let other: (name: String, age: Duration)?
      do {
        other = try otherHolder()
      } catch {
        releaseLock()
        throw error
      }
      guard let other else { return }
      releaseLock()
      throw TesseraError.leased("\"\(output)\"", holder: other.name, age: other.age)
    }
  }

  /// Who holds the lock of the whole output, if this is a shard's; who holds that of any shard, if it is not.
  private func otherHolder() throws(StoreError) -> (name: String, age: Duration)? {
    let others = folder == StoredState.root ? try shardLocks() : [wholeLock]
    for other in others { if let found = try lock.holderOrEnd(of: other) { return found } }
    return nil
  }

  /// Who holds the lock of the whole output or that of any shard, for one who takes none.
  func anyHolder() throws(StoreError) -> (name: String, age: Duration)? {
    for other in [wholeLock] + (try shardLocks()) {
      if let found = try StoreLock.holder(of: other) { return found }
    }
    return nil
  }

  private var wholeLock: StoredLockObject {
    let location = output.appending("\(StoredState.root)/\(Self.lockName)")
    return StoredLockObject(client: client, location: location, clock: clock)
  }

  private func shardLocks() throws(StoreError) -> [StoredLockObject] {
    try client.locations(below: output.appending(StoredState.shardFolder))
      .filter { $0.key.hasSuffix("/\(Self.lockName)") }
      .map { StoredLockObject(client: client, location: $0, clock: clock) }
  }

  /// Renews the lock until the task is cancelled.
  ///
  /// - Throws: ``TesseraError`` of the code `lost`. A store that can't be reached does not mean that it is lost.
  func renew() async throws -> Never {
    while true {
      try await Task.sleep(for: Self.renewalTime)
      do {
        try await confirm()
      } catch {
        guard TesseraError(error).code == .lost else { continue }
        throw error
      }
    }
  }

  /// Makes sure that the lock is still held, and will be for a minute and a half.
  func confirm() async throws {
    let start = now()
    if recent(at: start) != nil { return }
    try await call { lease in
      do {
        _ = try lease.confirmed(since: start)
      } catch let error as StoreError where error.kind == .lost {
        throw TesseraError.lost(lease.name)
      }
    }
  }

  /// As ``confirm()``, on this thread.
  ///
  /// - Returns: when requests have to be over that only the holder may send.
  /// - Throws: ``StoreError``, of kind `lost` if another process has taken over.
  func confirmed() throws(StoreError) -> ContinuousClock.Instant {
    try confirmed(since: now())
  }

  /// - Parameter start: when the caller began to wait. A renewal that failed since then failed for it, too: a store that is
  ///   down is waited for once, and not once by each thread.
  private func confirmed(
    since start: ContinuousClock.Instant
  ) throws(StoreError) -> ContinuousClock.Instant {
    if let recent = recent(at: start) { return recent }
    return try renewal.withLock { failure throws(StoreError) in
      let now = now()
      if let recent = recent(at: now) { return recent }
      if let failure, start < failure.time { throw failure.error }
      do throws(StoreError) {
        return try renewed(at: now)
      } catch {
        failure = (error, self.now())
        throw error
      }
    }
  }

  private func renewed(
    at now: ContinuousClock.Instant
  ) throws(StoreError) -> ContinuousClock.Instant {
    let (etag, number) = held.withLock { ($0.etag, $0.renewals) }
    guard let renewed = try lock.renew(number + 1, etag: etag) else {
      throw lost(output.appending(folder))
    }
    held.withLock { $0 = Held(etag: renewed, renewals: number + 1, confirmed: now) }
    return now + Self.requestTime
  }

  /// Nil if the lock has to be renewed first.
  private func recent(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard let confirmed = held.withLock({ $0.confirmed }), now - confirmed < Self.renewalTime / 2
    else { return nil }
    return confirmed + Self.requestTime
  }

  /// The error of a process that is not the holder any more.
  func lost(_ location: StoreLocation) -> StoreError {
    StoreError(
      kind: .lost, location: location,
      finding: "was taken over by another run, because this one was not heard of for "
        + "\(StoreLock.lease.components.seconds) s; run it again")
  }

  /// What can't be released now ends by itself.
  func release() async {
    _ = try? await call { lease in lease.releaseLock() }
  }

  private func releaseLock() { try? lock.release() }

  private func call<Value: Sendable>(
    _ body: @escaping @Sendable (StoreLease) throws -> Value
  ) async throws -> Value {
    try await pool.run { try body(self) }
  }
}
