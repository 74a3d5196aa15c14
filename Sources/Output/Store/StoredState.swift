internal import Synchronization
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraSystem

/// The state of an output, or of one of its shards, that is kept in the output's store:
///
///     .tessera/state.sqlite                  of runs of all items
///     .tessera/shards/8/3/state.sqlite       of a shard
///
/// The process that holds the ``StoreLease`` works with a copy on its machine, and writes it back on the
/// condition that no other process has written meanwhile.
final class StoredState: Sendable {
  let client: StoreClient
  let output: StoreLocation
  /// Below the output: `.tessera`, or `.tessera/shards/8/3`.
  let folder: String
  private let pool = BlockingPool(limit: 2)
  private let last = Mutex(Last())

  private struct Last {
    /// The ETag of the state when it was read or written last; nil if there was none.
    var etag: String?
    /// When the state that was read was written, in seconds since 1970.
    var changed = 0.0
  }

  var changed: Double { last.withLock { $0.changed } }

  static let root = ".tessera"
  static let stateName = "state.sqlite"
  static let shardFolder = "\(root)/shards"

  /// - Parameter shard: nil for the state of runs of all items.
  init(_ client: StoreClient, _ output: StoreLocation, shard: Shard?) {
    self.client = client
    self.output = output
    folder = Self.folder(of: shard)
  }

  static func folder(of shard: Shard?) -> String {
    shard.map { "\(shardFolder)/\($0.count)/\($0.index)" } ?? root
  }

  /// For messages.
  private var name: String { "\"\(output.appending(folder))\"" }

  private var location: StoreLocation { output.appending("\(folder)/\(Self.stateName)") }

  /// Copies the state to a file of this machine, if there is one.
  func read(to target: WorkFile) async throws {
    try await call { state in
      let file = StoredStateFile(client: state.client, location: state.location)
      let found = try file.read(to: target)
      state.last.withLock {
        $0.etag = found?.etag
        $0.changed = found?.changed ?? 0
      }
    }
  }

  /// Replaces the state. The lease has been confirmed.
  ///
  /// - Throws: also ``TesseraError`` of the code `lost`.
  func write(_ source: WorkFile) async throws {
    try await call { state in
      let last = state.last.withLock { $0.etag }
      let etag = try StoredStateFile(client: state.client, location: state.location)
        .write(source, after: last)
      guard let etag else { throw TesseraError.lost(state.name) }
      state.last.withLock { $0.etag = etag }
    }
  }

  /// Keeps a damaged state beside the new one, in the place of an earlier one. Returns its name.
  ///
  /// - Parameter state: where the new one is; nil for this one.
  func keepDamaged(
    _ source: WorkFile, of state: StoreLocation? = nil
  ) async throws -> String {
    let kept = state ?? output.appending("\(folder)/\(Self.stateName)")
    let location = StoreLocation(bucket: kept.bucket, key: "\(kept.key).damaged")
    try await call { state in
      try state.client.delete(location)
      let file = StoredStateFile(client: state.client, location: location)
      guard try file.write(source, after: nil) != nil else { throw TesseraError.lost(state.name) }
    }
    return "\(location)"
  }

  func call<Value: Sendable>(
    _ body: @escaping @Sendable (StoredState) throws -> Value
  ) async throws -> Value {
    try await pool.run { try body(self) }
  }
}

/// The object of a state. Each call blocks its thread.
struct StoredStateFile {
  let client: StoreClient
  let location: StoreLocation

  private static let kind = StoreClient.Kind(
    type: "application/vnd.sqlite3", caching: "no-store")

  /// Copies the object to a file of this machine, all of it of one version. Returns nil if the object is
  /// missing, and leaves no file then.
  func read(to target: WorkFile) throws -> (etag: String, changed: Double)? {
    do throws(SystemError) {
      return try copy(to: target)
    } catch {
      try target.remove()
      guard error.isMissingFile else { throw error }
      return nil
    }
  }

  private func copy(to target: WorkFile) throws(SystemError) -> (etag: String, changed: Double) {
    let file = try target.open(.write)
    let head = try store { () throws(StoreError) in try client.head(location) }
    var offset = 0
    while offset < head.size {
      let (part, _) = try store { () throws(StoreError) in
        try client.get(location, StoreClient.partBytes, at: offset, if: head.etag)
      }
      try file.write(part)
      offset += part.count
    }
    return (head.etag, Double(head.changed ?? 0))
  }

  /// Writes the object.
  ///
  /// - Parameter etag: of the object that it replaces; nil if there was none.
  /// - Returns: its ETag; nil if it was not written, because the object is another one.
  func write(_ source: WorkFile, after etag: String?) throws -> String? {
    let condition = etag.map { StoreClient.Condition.isUnchanged(etag: $0) } ?? .isNew
    do throws(SystemError) {
      let file = try source.open(.read)
      let size = try file.size()
      if size <= StoreClient.partBytes {
        let bytes = try file.read(size, at: 0)
        return try store { () throws(StoreError) in
          try client.put(bytes, at: location, Self.kind, if: condition)
        }
      }
      var offset = 0
      return try client.put(
        parts: { () throws(SystemError) in
          let part = try file.read(StoreClient.partBytes, at: offset)
          offset += part.count
          return part
        }, at: location, Self.kind, if: condition)
    } catch {
      guard error.isExistingFile || error.isMissingFile else { throw error }
      return nil
    }
  }

  private func store<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(SystemError) -> Value {
    do throws(StoreError) { return try body() } catch { throw error.asSystemError }
  }
}

/// The states of an output in a store that are on machines, an object each: `.tessera/states/4711.json`. Each says where
/// it is, and nothing of any image. `forget` names those that it can't reach.
struct StatesElsewhere: Sendable {
  /// In which what they are written to has no fence: shards of one machine share a state.
  private let output: any Output

  static let folder = "\(StoredState.root)/states"

  init(in output: any Output) { self.output = output }

  private static func path(_ identifier: String) -> String { "\(folder)/\(identifier).json" }

  /// - Parameters:
  ///   - identifier: what is noted in the state itself, wherever it moves.
  ///   - state: its directory.
  func note(_ identifier: String, _ state: String) async throws {
    var writer = JSONWriter()
    writer.object { object in
      object.member("state", state)
      object.member("machine", Host.name)
    }
    let bytes = writer.take() + [UInt8(ascii: "\n")]
    try await output.write(Self.path(identifier), bytes)
  }

  /// Where they are: `"/var/lib/tessera/feed" on builder-3`.
  ///
  /// - Parameter own: the identifier of one that is left out.
  func all(but own: String?) async throws -> [String] {
    var found: [String] = []
    for entry in try await output.listIfThere(Self.folder) {
      let path = "\(Self.folder)/\(entry.name)"
      guard path != own.map(Self.path), case .file(let bytes) = entry.kind else { continue }
      let json = try? JSONParser.parse(try await output.read(path, bytes, at: 0))
      found.append(
        "\"\(json?["state"]?.stringValue ?? "?")\" on \(json?["machine"]?.stringValue ?? "?")")
    }
    return found.sorted()
  }
}
