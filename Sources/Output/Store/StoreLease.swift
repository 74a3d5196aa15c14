internal import Synchronization
internal import TesseraManifest
internal import TesseraStore
internal import TesseraSystem

/// The lock of an output in a store, or of one of its shards, held by this process, wherever the state is:
///
///     .tessera/lock                   of the whole output: runs of all items, and tools that change it
///     .tessera/shards/8/3/lock        of a shard
///
/// Shards run beside each other; the holder of the whole output is alone.
final class StoreLease: Sendable {
  let client: StoreClient
  private let output: StoreLocation
  private let folder: String
  private let lock: StoreLock
  private let pool = BlockingPool(limit: 1)
  private let held = Mutex(Held())
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

  /// - Parameters:
  ///   - shard: nil for the whole output.
  ///   - token: see ``StoreLock``.
  ///   - now: the time, for renewals.
  init(
    _ client: StoreClient, _ output: StoreLocation, shard: Shard?,
    token: String = StoreLock.newToken,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.client = client
    self.now = now
    self.output = output
    folder = StoredState.folder(of: shard)
    lock = StoreLock(
      StoredLockObject(client: client, location: output.appending("\(folder)/\(Self.lockName)")),
      holder: "process \(Host.processIdentifier) on \(Host.name)", token: token)
  }

  /// For messages.
  private var name: String { "\"\(output.appending(folder))\"" }

  /// Takes the lock.
  ///
  /// - Throws: ``OutputError/leased(_:holder:age:)`` if another process has it, or one that excludes it; or
  ///   ``OutputError/noConditions(_:)``.
  func take() async throws(OutputError) {
    try await call { lease throws(OutputError) in try lease.takeLock() }
  }

  private func takeLock() throws(OutputError) {
    switch try OutputError.wrapStore({ () throws(StoreError) in try lock.take() }) {
    case .unsupported: throw .noConditions("\(output)")
    case .held(let holder, let age): throw .leased(name, holder: holder, age: age)
    case .taken(let etag):
      let now = now()
      held.withLock { $0 = Held(etag: etag, confirmed: now) }
      // After its own is written: of two that do this at the same time, at least one sees the other.
      let other: (name: String, age: Duration)?
      do throws(OutputError) {
        other = try OutputError.wrapStore { () throws(StoreError) in try otherHolder() }
      } catch {
        releaseLock()
        throw error
      }
      guard let other else { return }
      releaseLock()
      throw .leased("\"\(output)\"", holder: other.name, age: other.age)
    }
  }

  /// Who holds the lock of the whole output, if this is a shard's; who holds that of any shard, if it is not.
  private func otherHolder() throws(StoreError) -> (name: String, age: Duration)? {
    folder == StoredState.root ? try holderOfAnyShard() : try holderOfWhole()
  }

  /// Who holds the lock of the whole output or that of any shard, for one who takes none.
  func anyHolder() throws(StoreError) -> (name: String, age: Duration)? {
    if let holder = try holderOfWhole() { return holder }
    return try holderOfAnyShard()
  }

  private func holderOfWhole() throws(StoreError) -> (name: String, age: Duration)? {
    let location = output.appending("\(StoredState.root)/\(Self.lockName)")
    return try StoreLock.holder(of: StoredLockObject(client: client, location: location))
  }

  private func holderOfAnyShard() throws(StoreError) -> (name: String, age: Duration)? {
    for location in try client.locations(below: output.appending(StoredState.shardFolder))
    where location.key.hasSuffix("/\(Self.lockName)") {
      let object = StoredLockObject(client: client, location: location)
      if let found = try StoreLock.holder(of: object) { return found }
    }
    return nil
  }

  /// Renews the lock until the task is cancelled.
  ///
  /// - Throws: ``OutputError/lost(_:)``. A store that can't be reached does not mean that it is lost.
  func renew() async throws -> Never {
    while true {
      try await Task.sleep(for: Self.renewalTime)
      do throws(OutputError) {
        try await confirm()
      } catch {
        guard case .lost = error else { continue }
        throw error
      }
    }
  }

  /// Makes sure that the lock is still held, and will be for a minute and a half.
  func confirm() async throws(OutputError) {
    try await call { lease throws(OutputError) in try lease.renewLock() }
  }

  private func renewLock() throws(OutputError) {
    let now = now()
    let (etag, number, confirmed) = held.withLock { ($0.etag, $0.renewals, $0.confirmed) }
    if let confirmed, now - confirmed < Self.renewalTime / 2 { return }
    let renewed = try OutputError.wrapStore { () throws(StoreError) in
      try lock.renew(number + 1, etag: etag)
    }
    guard let renewed else { throw .lost(name) }
    held.withLock {
      $0.etag = renewed
      $0.renewals += 1
      $0.confirmed = now
    }
  }

  /// What can't be released now ends by itself.
  func release() async {
    _ = try? await call { lease throws(OutputError) in lease.releaseLock() }
  }

  private func releaseLock() { try? lock.release() }

  private func call<Value: Sendable>(
    _ body: @escaping @Sendable (StoreLease) throws(OutputError) -> Value
  ) async throws(OutputError) -> Value {
    try await pool.run { () throws(OutputError) in try body(self) }
  }
}
