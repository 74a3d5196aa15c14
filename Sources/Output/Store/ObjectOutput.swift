internal import Synchronization
internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraStore
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

  /// What is larger is written in parts, in bytes.
  private static let largeBytes = 64 << 20

  /// - Parameter client: shared with the lock and the state, which need no credentials of their own.
  init(_ base: StoreLocation, _ client: StoreClient, concurrency: Int) {
    (self.base, self.client) = (base, client)
    pool = BlockingPool(limit: concurrency)
  }

  package var location: String { "\(base)" }
  package var isDurable: Bool { true }

  /// Finds mistakes in credentials, region and bucket before anything is fetched.
  package func prepare() async throws(SystemError) {
    _ = try await call { client, base throws(StoreError) in try client.list(base, limit: 1) }
  }

  /// A store shows whole objects only.
  package func clearDrafts(in folder: String) {}

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

  package func publish(staged: String, as path: String) async throws(SystemError) {
    let bytes = try FileSystem.read(staged, limit: .max)
    // Its name is made of its content, so every run that writes it writes the same.
    _ = try await call { client, base throws(StoreError) in
      try client.put(bytes, at: base.appending(path), .of(path))
    }
    try FileSystem.remove(staged)
  }

  package func write(_ path: String, staged: WorkFile) async throws(SystemError) {
    try await write(path, staged, if: nil)
    try staged.remove()
  }

  package func create(_ path: String, staged: WorkFile) async throws(SystemError) -> Bool {
    do throws(SystemError) {
      try await write(path, staged, if: .isNew)
    } catch {
      if error.isExistingFile { return false }
      guard error.isUnsupported else { throw error }
      // A server without conditions (OpenStack Swift): of two that write at the same time both may
      // succeed, but readers see one of them whole.
      if try await sizes(of: [path])[0] != nil { return false }
      try await write(path, staged, if: nil)
    }
    try staged.remove()
    return true
  }

  package func write(_ path: String, _ bytes: [UInt8]) async throws(SystemError) {
    _ = try await call { client, base throws(StoreError) in
      try client.put(bytes, at: base.appending(path), .of(path))
    }
  }

  private func write(
    _ path: String, _ staged: WorkFile, if condition: StoreClient.Condition?
  ) async throws(SystemError) {
    let size = staged.size ?? 0
    if size <= Self.largeBytes {
      let bytes = try staged.open(.read).read(size, at: 0)
      _ = try await call { client, base throws(StoreError) in
        try client.put(bytes, at: base.appending(path), .of(path), if: condition)
      }
      return
    }
    let (client, location) = (client, base.appending(path))
    try await pool.run { () throws(SystemError) in
      var offset = 0
      try client.put(
        parts: { () throws(SystemError) in
          let part = try staged.open(.read).read(StoreClient.partBytes, at: offset)
          offset += part.count
          return part
        }, at: location, .of(path), if: condition)
    }
  }

  package func delete(_ path: String) async throws(SystemError) {
    try await call { client, base throws(StoreError) in
      try client.delete(base.appending(path))
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
    let (bytes, etag) = try await call { client, base throws(StoreError) in
      try client.get(base.appending(path), count, at: offset, if: version)
    }
    // A variant's name is its version, and there may be millions.
    if offset == 0, !path.hasPrefix("variants/") {
      versions.withLock { $0[path] = etag.isEmpty ? nil : etag }
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
  /// Of a file of an output. What is named by its content may be kept forever.
  fileprivate static func of(_ path: String) -> StoreClient.Kind {
    StoreClient.Kind(
      type: type(of: path.split(separator: ".").last ?? "", isVariant: path.hasPrefix("variants/")),
      caching: path.hasPrefix("variants/") || path.hasPrefix("tables/") || CatalogPages.isPage(path)
        ? "public, max-age=31536000, immutable"
        : path.hasPrefix("catalog.") || [.pages, .patches].contains(OutputPlace.of(path))
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
