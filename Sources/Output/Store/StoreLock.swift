internal import TesseraJSON
internal import TesseraNet
internal import TesseraSystem

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
