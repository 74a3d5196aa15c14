internal import Synchronization
internal import TesseraFetch
internal import TesseraSystem

/// The state of an output, or of one of its shards, that is kept in the output's store:
///
///     .tessera/lock, .tessera/state.sqlite                  of runs of all items
///     .tessera/shards/8/3/lock, …/state.sqlite              of a shard
///
/// The process that holds the ``StoreLock`` works with a copy on its machine, and writes it back on the
/// condition that no other process has written meanwhile.
final class StoredState: Sendable {
  let client: StoreClient
  let output: StoreLocation
  /// Below the output: `.tessera`, or `.tessera/shards/8/3`.
  private let folder: String
  private let lock: StoreLock
  private let pool = BlockingPool(limit: 2)
  private let held = Mutex(Held())

  private struct Held {
    var etag = ""
    var renewals = 0
    var confirmed = ContinuousClock.now
    /// Of the state when it was read or written last; nil if there was none.
    var state: String?
    /// When the state that was read was written, in seconds since 1970.
    var changed = 0.0
  }

  var changed: Double { held.withLock { $0.changed } }

  static let root = ".tessera"
  static let (lockName, stateName) = ("lock", "state.sqlite")
  static let shardFolder = "\(root)/shards"

  /// How often the lock is renewed. A few renewals may fail before others take it for left behind.
  private static let renewalTime = Duration.seconds(20)

  /// - Parameter shard: nil for the state of runs of all items.
  init(_ client: StoreClient, _ output: StoreLocation, shard: ShardNumber?) {
    self.client = client
    self.output = output
    folder = Self.folder(of: shard)
    lock = StoreLock(
      StoredLockObject(client: client, location: output.appending("\(folder)/\(Self.lockName)")),
      holder: "process \(Host.processIdentifier) on \(Host.name)")
  }

  static func folder(of shard: ShardNumber?) -> String {
    shard.map { "\(shardFolder)/\($0.count)/\($0.index)" } ?? root
  }

  /// For messages.
  private var name: String { "\"\(output.appending(folder))\"" }

  // MARK: The lock

  /// Takes the lock. A shard's is not held together with that of all items, as on a disk.
  func take() async throws(OutputError) {
    try await call { state throws(OutputError) in try state.takeLock() }
  }

  private func takeLock() throws(OutputError) {
    switch try OutputError.wrapStore({ () throws(StoreError) in try lock.take() }) {
    case .unsupported: throw .noConditions("\(output)")
    case .held(let holder, let age): throw .leased(name, holder: holder, age: age)
    case .taken(let etag):
      held.withLock { $0 = Held(etag: etag) }
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

  /// Who holds the lock of all items, if this is a shard's; who holds that of any shard, if it is not.
  private func otherHolder() throws(StoreError) -> (name: String, age: Duration)? {
    func holder(_ key: StoreLocation) throws(StoreError) -> (name: String, age: Duration)? {
      try StoreLock.holder(of: StoredLockObject(client: client, location: key))
    }
    guard folder == Self.root else {
      return try holder(output.appending("\(Self.root)/\(Self.lockName)"))
    }
    var token: String?
    repeat {
      let page = try client.list(
        output.appending(Self.shardFolder), isDeep: true, after: token)
      for object in page.objects where object.key.hasSuffix("/\(Self.lockName)") {
        let found = try holder(StoreLocation(bucket: output.bucket, key: object.key))
        if let found { return found }
      }
      token = page.next
    } while token != nil
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
    try await call { state throws(OutputError) in try state.renewLock() }
  }

  private func renewLock() throws(OutputError) {
    let now = ContinuousClock.now
    let (etag, number, age) = held.withLock { ($0.etag, $0.renewals, now - $0.confirmed) }
    if age < Self.renewalTime / 2 { return }
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

  func release() async {
    _ = try? await call { state throws(OutputError) in state.releaseLock() }
  }

  /// What can't be released now ends by itself.
  private func releaseLock() { try? lock.release() }

  // MARK: The state

  private var location: StoreLocation { output.appending("\(folder)/\(Self.stateName)") }

  /// Copies the state to a file of this machine, if there is one.
  func read(to target: WorkFile) async throws(OutputError) {
    try await call { state throws(OutputError) in
      let file = StoredStateFile(client: state.client, location: state.location)
      let found = try file.read(to: target)
      state.held.withLock {
        $0.state = found?.etag
        $0.changed = found?.changed ?? 0
      }
    }
  }

  /// Replaces the state.
  ///
  /// - Throws: also ``OutputError/lost(_:)``.
  func write(_ source: WorkFile) async throws(OutputError) {
    try await confirm()
    try await call { state throws(OutputError) in
      let last = state.held.withLock { $0.state }
      let etag = try StoredStateFile(client: state.client, location: state.location)
        .write(source, after: last)
      guard let etag else { throw OutputError.lost(state.name) }
      state.held.withLock { $0.state = etag }
    }
  }

  /// Keeps a damaged state beside the new one. Returns its name.
  func keepDamaged(_ source: WorkFile) async throws(OutputError) -> String {
    let location = output.appending("\(folder)/\(Self.stateName).damaged")
    try await call { state throws(OutputError) in
      _ = try StoredStateFile(client: state.client, location: location).write(source, after: nil)
    }
    return "\(location)"
  }

  func call<Value: Sendable>(
    _ body: @escaping @Sendable (StoredState) throws(OutputError) -> Value
  ) async throws(OutputError) -> Value {
    try await pool.run { () throws(OutputError) in try body(self) }
  }
}
