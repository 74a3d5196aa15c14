internal import Synchronization
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
