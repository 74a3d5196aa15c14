internal import Synchronization
internal import TesseraBytes
internal import TesseraCatalog
package import TesseraManifest
internal import TesseraNet
package import TesseraSystem
internal import TesseraText

/// An output in an object store, `s3://bucket/prefix`. Names are those of a ``DirectoryOutput``; its
/// workspace is on a disk of this machine.
///
/// An object is there, whole and durable, as soon as the store has answered, so documents need no flush
/// before them.
package final class ObjectOutput: Output {
  private let client: StoreClient
  private let base: StoreLocation
  private let pool: BlockingPool
  /// The ETags of documents that are being read in parts: all have to be of one version.
  private let versions = Mutex<[Identifier: String]>([:])
  private let fence: StoreFence

  /// - Parameters:
  ///   - client: shared with the lock and the state, which need no credentials of their own.
  ///   - lease: under which the output is changed; nil if there is none.
  init(_ base: StoreLocation, _ client: StoreClient, concurrency: Int, lease: StoreLease? = nil) {
    (self.base, self.client) = (base, client)
    fence = StoreFence(lease)
    pool = BlockingPool(limit: concurrency)
  }

  /// The output of a process that holds a lease.
  convenience init(_ base: StoreLocation, _ client: StoreClient, _ lease: StoreLease) {
    self.init(base, client, concurrency: client.settings.concurrency, lease: lease)
  }

  package var location: String { "\(base)" }
  package var isDurable: Bool { true }

  /// Finds mistakes in credentials, region and bucket before anything is fetched.
  package func prepare() async throws(SystemError) {
    _ = try await call { client, base throws(StoreError) in try client.list(base, limit: 1) }
  }

  /// A store shows whole objects only.
  package func clearDrafts(of shard: Shard?) {}

  /// Deletes the parts of objects whose writers were killed: who holds the output is the only one that writes there.
  ///
  /// - Parameter shard: nil for the whole output. What is not of Tessera, or of an output below this one, stays.
  func clearUploads(of shard: Shard?) async throws(SystemError) {
    let own = shard.map {
      [StoredState.folder(of: $0) + "/", "\(ShardHeader.folder)/\($0.count)/\($0.index)."]
    }
    try await call { client, base throws(StoreError) in
      for upload in try client.uploads(below: base) {
        let path = String(upload.location.key.dropFirst(base.key.isEmpty ? 0 : base.key.count + 1))
        let isOwn = own?.contains { path.begins(with: $0) } ?? (OutputPlace.of(path) != nil)
        if isOwn { try client.abort(upload) }
      }
    }
  }

  private func call<Value: Sendable>(
    _ body: @escaping @Sendable (StoreClient, StoreLocation) throws(StoreError) -> Value
  ) async throws(SystemError) -> Value {
    let (client, base) = (client, base)
    do throws(StoreError) {
      return try await pool.run { () throws(StoreError) in try body(client, base) }
    } catch {
      throw error.asSystemError
    }
  }

  // MARK: Writing

  package func publish(staged: String, as path: String) async throws(SystemError) -> Bool {
    let bytes = try FileSystem.read(staged, limit: .max)
    let isPublished = try await create(path) { isNew throws(SystemError) in
      try await write(path, bytes, isNew: isNew)
    }
    if isPublished { try FileSystem.remove(staged) }
    return isPublished
  }

  package func write(_ path: String, staged: WorkFile) async throws(SystemError) {
    try await write(path, staged, isNew: false)
    try staged.remove()
  }

  package func create(_ path: String, staged: WorkFile) async throws(SystemError) -> Bool {
    let isCreated = try await create(path) { isNew throws(SystemError) in
      try await write(path, staged, isNew: isNew)
    }
    if isCreated { try staged.remove() }
    return isCreated
  }

  private func create(
    _ path: String, _ write: (_ isNew: Bool) async throws(SystemError) -> Void
  ) async throws(SystemError) -> Bool {
    do throws(SystemError) {
      try await write(true)
    } catch {
      if error.isExistingFile { return false }
      guard error.isUnsupported else { throw error }
      // A server without conditions (OpenStack Swift): of two that write at the same time both may
      // succeed, but readers see one of them whole.
      if try await sizes(of: [path])[0] != nil { return false }
      try await write(false)
    }
    return true
  }

  package func write(_ path: String, _ bytes: [UInt8]) async throws(SystemError) {
    try await write(path, bytes, isNew: false)
  }

  private func write(_ path: String, _ bytes: [UInt8], isNew: Bool) async throws(SystemError) {
    let fence = fence
    try await call { client, base throws(StoreError) in
      let location = base.appending(path)
      try fence.write(path, at: location, isNew: isNew) {
        condition, deadline throws(StoreError) in
        try client.put(bytes, at: location, .of(path), if: condition, until: deadline)
      }
    }
  }

  private func write(_ path: String, _ staged: WorkFile, isNew: Bool) async throws(SystemError) {
    let size = staged.size ?? 0
    if size <= StoreClient.partBytes {
      let bytes = try staged.open(.read).read(size, at: 0)
      return try await write(path, bytes, isNew: isNew)
    }
    let (client, location, fence) = (client, base.appending(path), fence)
    try await pool.run { () throws(SystemError) in
      var offset = 0
      try client.put(
        parts: { () throws(SystemError) in
          let part = try staged.open(.read).read(StoreClient.partBytes, at: offset)
          offset += part.count
          return part
        }, at: location, .of(path)
      ) { complete throws(StoreError) in
        try fence.write(path, at: location, isNew: isNew, complete)
      }
    }
  }

  package func delete(_ path: String) async throws(SystemError) {
    let fence = fence
    try await call { client, base throws(StoreError) in
      try fence.delete(path, at: base.appending(path), client)
    }
  }

  // MARK: Reading

  package func sizes(of paths: [String]) async throws(SystemError) -> [Int?] {
    let found = await withTaskGroup { group in
      for (index, path) in paths.enumerated() {
        group.addTask { (index, await self.size(path)) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    return try paths.indices.map { index throws(SystemError) in try found[index]?.get() ?? nil }
  }

  private func size(_ path: String) async -> Result<Int?, SystemError> {
    do throws(SystemError) {
      let size = try await call { client, base throws(StoreError) in
        try client.head(base.appending(path)).size
      }
      return .success(size)
    } catch {
      return error.isMissingFile ? .success(nil) : .failure(error)
    }
  }

  package func changed(_ path: String) async throws(SystemError) -> Double? {
    do throws(SystemError) {
      return try await call { client, base throws(StoreError) in
        try client.head(base.appending(path)).changed.map(Double.init)
      }
    } catch {
      guard error.isMissingFile else { throw error }
      return nil
    }
  }

  /// True without a request: nothing but `prune` deletes what a catalog names, and it does not.
  package func stillHas(_ files: [(path: String, bytes: Int)]) -> [Bool] { files.map { _ in true } }

  package func read(
    _ path: String, _ count: Int, at offset: Int
  ) async throws(SystemError) -> [UInt8] {
    let version = offset > 0 ? versions.withLock { $0[path] } : nil
    let fence = fence
    let (bytes, etag) = try await call { client, base throws(StoreError) in
      let location = base.appending(path)
      do throws(StoreError) {
        return try client.get(location, count, at: offset, if: version)
      } catch {
        guard error.kind == .condition else { throw error }
        throw fence.replaced(location) ?? error
      }
    }
    // What is named by its content has one version only, and there may be millions.
    if offset == 0, !OutputPlace.isUnchanging(path) {
      versions.withLock { $0[path] = etag.isEmpty ? nil : etag }
      fence.note(etag, of: path)
    }
    return bytes
  }

  package func digest(of path: String) async throws(SystemError) -> String {
    let digest = SHA256()
    var offset = 0
    while true {
      let part = try await read(path, StoreClient.partBytes, at: offset)
      if part.isEmpty { break }
      part.withUnsafeBytes { digest.update($0) }
      offset += part.count
    }
    return digest.hexadecimal()
  }

  package func list(_ folder: String) async throws(SystemError) -> [OutputEntry] {
    var entries: [OutputEntry] = []
    var token: String?
    repeat {
      let after = token
      let page = try await call { client, base throws(StoreError) in
        try client.list(folder.isEmpty ? base : base.appending(folder), after: after)
      }
      entries += page.objects.map {
        OutputEntry(FileSystem.name(of: $0.key), .file(bytes: $0.size))
      }
      entries += page.folders.map {
        OutputEntry(FileSystem.name(of: String($0.dropLast())), .folder)
      }
      token = page.next
    } while token != nil
    return entries.sorted { Identifier($0.name) < Identifier($1.name) }
  }
}

extension StoreClient.Kind {
  /// Of a file of an output. What never changes may be kept forever.
  fileprivate static func of(_ path: String) -> StoreClient.Kind {
    StoreClient.Kind(
      type: type(of: path.split(separator: ".").last ?? "", isVariant: path.hasPrefix("variants/")),
      caching: OutputPlace.isUnchanging(path)
        ? "public, max-age=31536000, immutable"
        : [.catalog, .screens, .changes].contains(OutputPlace.of(path))
          ? "public, max-age=60, must-revalidate" : "no-cache")
  }

  private static func type(of fileExtension: Substring, isVariant: Bool) -> String {
    switch fileExtension {
    case "json": "application/json"
    case "jsonl": "application/x-ndjson"
    case "html": "text/html; charset=utf-8"
    case "jpg": "image/jpeg"
    // Every other format of variants has the name of its media type.
    default:
      isVariant || fileExtension == "webp" ? "image/\(fileExtension)" : "application/octet-stream"
    }
  }
}
