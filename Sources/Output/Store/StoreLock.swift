internal import Synchronization
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraSystem
internal import TesseraText

/// The object that a ``StoreLock`` is made of. Each call blocks its thread.
protocol LockObject: Sendable {
  /// The object, and its age by the clock of what answers; nil if there is none.
  func read() throws(StoreError) -> (bytes: [UInt8], etag: String, age: Duration)?
  /// How long ago the object was written, by the store's own clock; nil if the object is gone.
  func age() throws(StoreError) -> Duration?
  /// Writes the object. Returns its ETag; nil if the condition did not hold.
  func write(_ bytes: [UInt8], if condition: StoreClient.Condition) throws(StoreError) -> String?
  func delete() throws(StoreError)
}

/// A lock in an object store: an object that is created only if there is none (`If-None-Match: *`), and
/// that its holder rewrites from time to time (`If-Match`), so that others see that it is alive. One that
/// was not rewritten for ``lease`` was left by a dead process and is taken over in the same way. Its age is
/// the difference of the times of two objects in the store, of which the other was written just now: the clocks of
/// machines do not matter, nor do those of gateways, which answer with a time of their own.
struct StoreLock: Sendable {
  let object: any LockObject
  /// Who holds the lock, for messages of others.
  let holder: String
  /// Tells this lock from those of all others.
  private let token: String

  /// How long a lock is valid after it was written.
  static let lease = Duration.seconds(120)

  /// - Parameter token: of a lock that this process may take over at once, because its holder is dead.
  init(_ object: any LockObject, holder: String, token: String = Self.newToken) {
    (self.object, self.holder, self.token) = (object, holder, token)
  }

  static var newToken: String { "\(UInt64.random(in: 1 ... .max))" }

  enum Outcome: Equatable {
    /// The lock is this one's until it is released. `etag` is needed for its renewal.
    case taken(etag: String)
    case held(by: String, age: Duration)
    /// The store does not look at conditions, so that two could hold the lock.
    case unsupported
  }

  func take() throws(StoreError) -> Outcome {
    do throws(StoreError) {
      return try compete()
    } catch {
      guard error.kind == .unsupported else { throw error }
      return .unsupported
    }
  }

  private func compete() throws(StoreError) -> Outcome {
    // Each turn means that the lock has changed hands meanwhile.
    for _ in 0..<5 {
      if let etag = try write(0, if: .isNew) {
        // Some servers accept conditions without looking at them.
        guard try write(1, if: .isNew) == nil else {
          try object.delete()
          return .unsupported
        }
        return .taken(etag: etag)
      }
      guard let found = try read() else { continue }
      if found.token != token {
        guard let age = try object.age() else { continue }
        if age < Self.lease { return .held(by: found.holder, age: age) }
      }
      // Its own, too: one that a dead process has left is old, and others would take it over.
      if let etag = try write(0, if: .isUnchanged(etag: found.etag)) { return .taken(etag: etag) }
    }
    return .held(by: "", age: .zero)
  }

  /// Writes the lock again. Returns its new ETag; nil if it is lost.
  ///
  /// - Parameter number: another one each time, so that each state of the lock has an ETag of its own.
  func renew(_ number: Int, etag: String) throws(StoreError) -> String? {
    if let etag = try write(number, if: .isUnchanged(etag: etag)) { return etag }
    guard let found = try read(), found.token == token else { return nil }
    return found.etag
  }

  /// Deletes the lock, unless another process has it by now.
  func release() throws(StoreError) {
    if try read()?.token == token { try object.delete() }
  }

  /// The holder of another lock that excludes this one; nil if there is none. One that was left behind is ended: if its
  /// holder lives after all, it finds it lost.
  func holderOrEnd(of other: any LockObject) throws(StoreError) -> (name: String, age: Duration)? {
    let other = StoreLock(other, holder: holder, token: token)
    while true {
      guard let found = try other.read(), let age = try other.object.age() else { return nil }
      // With this token it is one that was ended here, and the answer was lost.
      if age < Self.lease, found.token != token { return (found.holder, age) }
      // Its holder may renew it at this moment.
      if try other.write(0, if: .isUnchanged(etag: found.etag)) != nil {
        try other.object.delete()
        return nil
      }
    }
  }

  /// The holder of a lock that is valid, for one who only looks; nil if there is none.
  static func holder(of object: any LockObject) throws(StoreError) -> (name: String, age: Duration)?
  {
    guard let found = try StoreLock(object, holder: "").read(), found.age < lease else {
      return nil
    }
    return (found.holder, found.age)
  }

  // MARK: The object

  /// How long ago a lock was written by its holder's clock, where the store does not say: without an age, that of
  /// a dead process would be held indefinitely.
  static func statedAge(of bytes: [UInt8]) -> Duration {
    let written = (try? JSONParser.parse(bytes))?["written"]?.intValue
    return .seconds(max(0, Int(Host.now) - (written ?? 0)))
  }

  private func write(
    _ number: Int, if condition: StoreClient.Condition
  ) throws(StoreError) -> String? {
    var writer = JSONWriter()
    writer.object { object in
      object.member("holder", holder)
      object.member("token", token)
      object.member("renewals", number)
      object.member("written", Int(Host.now))
    }
    return try object.write(writer.take() + [UInt8(ascii: "\n")], if: condition)
  }

  private func read() throws(StoreError) -> (
    holder: String, token: String?, etag: String, age: Duration
  )? {
    guard let found = try object.read() else { return nil }
    let json = try? JSONParser.parse(found.bytes)
    return (
      json?["holder"]?.stringValue ?? "", json?["token"]?.stringValue, found.etag, found.age
    )
  }
}

/// An object in a store.
struct StoredLockObject: LockObject {
  let client: StoreClient
  let location: StoreLocation
  /// An object whose time is that of the store. Each process that looks at a lock writes it first, and none deletes it:
  /// whichever wrote it last, that was during the look.
  let clock: StoreLocation

  func read() throws(StoreError) -> (bytes: [UInt8], etag: String, age: Duration)? {
    do throws(StoreError) {
      let (bytes, head) = try client.object(location)
      return (bytes, head.etag, head.age ?? StoreLock.statedAge(of: bytes))
    } catch {
      guard error.kind == .missing else { throw error }
      return nil
    }
  }

  private static let kind = StoreClient.Kind(type: "application/json", caching: "no-store")

  func age() throws(StoreError) -> Duration? {
    try client.put(Array("{}\n".utf8), at: clock, Self.kind)
    // First: a lock that is written meanwhile is not old.
    let now = try client.head(clock).changed
    do throws(StoreError) {
      let lock = try client.head(location)
      guard let now, let written = lock.changed else { return lock.age }
      return .seconds(max(0, now - written))
    } catch {
      guard error.kind == .missing else { throw error }
      return nil
    }
  }

  func write(_ bytes: [UInt8], if condition: StoreClient.Condition) throws(StoreError) -> String? {
    do throws(StoreError) {
      // Whose the lock is that is in the way, its token says.
      return try client.put(bytes, at: location, Self.kind, if: condition, findsOwn: false)
    } catch {
      switch error.kind {
      case .condition, .missing: return nil
      default: throw error
      }
    }
  }

  func delete() throws(StoreError) { try client.delete(location) }
}

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

/// Keeps a process from changing an output in a store that another one has taken over: whatever it writes there goes
/// through this.
///
/// - Each request comes after a renewal of the lease, and is over before others may take the lease for left behind.
/// - A document is replaced only if it is still the version that this process has read, or has written itself; one that
///   was not there is created only if it is still missing. A process that was stopped right before it sent such a
///   request finds the condition violated.
struct StoreFence: Sendable {
  /// Nil where there is none, as in a store without conditional requests: then nothing is fenced.
  private let lease: StoreLease?
  private let known = Known()

  /// The ETags of documents: of the versions that were read, the first one. Nil for one that is not there.
  private final class Known: Sendable {
    let etags = Mutex<[Identifier: String?]>([:])
  }

  init(_ lease: StoreLease?) { self.lease = lease }

  /// Notes the version that was read: what is written depends on the first one.
  func note(_ etag: String, of path: String) {
    if lease == nil { return }
    known.etags.withLock { if $0[path] == nil { $0[path] = .some(etag) } }
  }

  private func set(_ etag: String?, of path: String) {
    known.etags.withLock { _ = $0.updateValue(etag, forKey: Identifier(path)) }
  }

  /// Sends a request that is right whichever process does it last.
  func send<Value>(
    _ body: (_ deadline: ContinuousClock.Instant?) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    guard let lease else { return try body(nil) }
    var attempts = 3
    while true {
      let deadline = try lease.confirmed()
      do throws(StoreError) {
        return try body(deadline)
      } catch {
        // Whether this process may go on, the lease says; whether the store takes it, the attempts.
        attempts -= 1
        guard error.kind == .late, attempts > 0 else { throw error }
      }
    }
  }

  /// Writes an object.
  ///
  /// - Parameters:
  ///   - isNew: whether it must not be there.
  ///   - body: writes it on a condition, and returns its ETag.
  /// - Throws: ``StoreError``, of kind `lost` if another process has written it.
  func write(
    _ path: String, at location: StoreLocation, isNew: Bool = false,
    _ body: (StoreClient.Condition?, _ deadline: ContinuousClock.Instant?) throws(StoreError) ->
      String
  ) throws(StoreError) {
    let isFenced = lease != nil && !OutputPlace.isUnchanging(path)
    let etag = try send { deadline throws(StoreError) in
      if isNew { return try body(.isNew, deadline) }
      guard let lease, isFenced else { return try body(nil, deadline) }
      let before = try version(of: path, at: location, lease.client, deadline)
      do throws(StoreError) {
        return try body(Self.condition(before), deadline)
      } catch {
        switch error.kind {
        case .condition, .missing: throw lease.lost(location)
        // A server that knows conditions for objects in one part only: the next best is to look.
        case .unsupported:
          let now = try Self.head(location, lease.client, deadline)
          guard now == before else { throw lease.lost(location) }
          return try body(nil, deadline)
        default: throw error
        }
      }
    }
    if isFenced { set(etag, of: path) }
  }

  /// The error of a process that holds the output and finds that another one has replaced a document; nil without a lease.
  func replaced(_ location: StoreLocation) -> StoreError? { lease?.lost(location) }

  /// Deletes an object.
  func delete(_ path: String, at location: StoreLocation, _ client: StoreClient) throws(StoreError)
  {
    try send { deadline throws(StoreError) in try client.delete(location, until: deadline) }
    if lease != nil, !OutputPlace.isUnchanging(path) { set(nil, of: path) }
  }

  private func version(
    of path: String, at location: StoreLocation, _ client: StoreClient,
    _ deadline: ContinuousClock.Instant?
  ) throws(StoreError) -> String? {
    if let known = known.etags.withLock({ $0[path] }) { return known }
    let etag = try Self.head(location, client, deadline)
    set(etag, of: path)
    return etag
  }

  /// Nil if there is none.
  private static func head(
    _ location: StoreLocation, _ client: StoreClient, _ deadline: ContinuousClock.Instant?
  ) throws(StoreError) -> String? {
    do throws(StoreError) {
      return try client.head(location, until: deadline).etag
    } catch {
      guard error.kind == .missing else { throw error }
      return nil
    }
  }

  /// What a write depends on that replaces a version. Nothing if the server sends no ETags.
  private static func condition(_ etag: String?) -> StoreClient.Condition? {
    guard let etag else { return .isNew }
    return etag.isEmpty ? nil : .isUnchanged(etag: etag)
  }
}
