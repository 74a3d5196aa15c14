internal import Synchronization
internal import TesseraNet
internal import TesseraText

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
