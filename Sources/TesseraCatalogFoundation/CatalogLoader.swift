public import Foundation
public import TesseraCatalog

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif
#if canImport(CryptoKit)
  internal import CryptoKit
#endif

/// Keeps an app's catalog up to date with one small request, and has it without a network, too.
///
///     let loader = CatalogLoader(url, cache: folder)
///     let catalog = try await loader.load().catalog
///
/// What is loaded is verified by its digest, and stored in one file. Several calls may run at a time; the file is always
/// whole.
public struct CatalogLoader: Sendable {
  /// Where the catalog is: `https://example.com/feed/catalog.json`.
  public let url: URL
  private let file: URL
  private let configuration: URLSessionConfiguration
  private let maximumBytes: Int
  private let sha256: @Sendable (_ bytes: [UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - url: of the catalog, `https:` or `http:`.
  ///   - folder: a `file:` URL; made if it is missing. Of each catalog a folder of its own, for the file `catalog.json`.
  ///   - configuration: of the sessions that the requests are made in: time limits, headers, URL cache.
  ///   - maximumBytes: the most that an answer may have after decompression; 256 MB by default.
  ///   - sha256: the hash function that the app has; its 32 bytes.
  public init(
    _ url: URL, cache folder: URL, configuration: URLSessionConfiguration = .default,
    maximumBytes: Int = 256_000_000,
    sha256: @escaping @Sendable (_ bytes: [UInt8]) -> some Sequence<UInt8> & Sendable
  ) {
    (self.url, file) = (url, folder.appendingPathComponent("catalog.json"))
    (self.configuration, self.maximumBytes) = (configuration, maximumBytes)
    self.sha256 = { Array(sha256($0)) }
  }

  #if canImport(CryptoKit)
    /// As `init(_:cache:configuration:maximumBytes:sha256:)`, with the hash function of CryptoKit.
    public init(
      _ url: URL, cache folder: URL, configuration: URLSessionConfiguration = .default,
      maximumBytes: Int = 256_000_000
    ) {
      self.init(
        url, cache: folder, configuration: configuration, maximumBytes: maximumBytes,
        sha256: { SHA256.hash(data: $0) })
    }
  #endif

  /// The stored catalog, without a request: what to show at once. Nil if there is none, or if its file is damaged.
  @concurrent
  public func cached() async -> Catalog? {
    do {
      return try Catalog(
        reading: try Data(contentsOf: file, options: .mappedIfSafe), verifiedBy: sha256)
    } catch {
      // Both cases are the same for an app: it has to load the catalog.
      return nil
    }
  }

  /// The current catalog: the stored one brought up to date, or the whole. If that fails, for want of a network or for another
  /// reason, the stored one with the error.
  ///
  /// - Throws: the error, if no catalog is stored, as ``update(from:)``.
  public func load() async throws -> CatalogUpdate {
    guard let old = await cached() else { return try await whole() }
    do {
      return try await update(from: old)
    } catch {
      try Task.checkCancellation()
      return CatalogUpdate(catalog: old, origin: .cache(error))
    }
  }

  /// The current catalog, from the one that the app has: by its changes if the server has them and the catalog is still stored,
  /// or else as a whole. The app keeps its catalog if this fails.
  ///
  /// - Throws: `CatalogLoadingError`, `CatalogError`, Foundation's error of the network, or `CancellationError`.
  @concurrent
  public func update(from old: Catalog) async throws -> CatalogUpdate {
    // An object store that may not be listed answers 403 for what is not there.
    guard let source = old.changesURL(from: url.absoluteString).flatMap(URL.init(string:)),
      let bytes = try await body(of: source, missing: [403, 404, 410]),
      let changes = try? CatalogChanges(reading: bytes), changes.from == old.digest
    else { return try await whole() }
    try Task.checkCancellation()
    // What is current was stored when it was loaded.
    guard changes.to != old.digest else { return CatalogUpdate(catalog: old, origin: .unchanged) }
    guard let stored = try? Data(contentsOf: file, options: .mappedIfSafe),
      let document = try? changes.applied(to: Array(stored), sha256: sha256),
      let new = try? Catalog(reading: document)
    else { return try await whole() }
    return self.stored(new, Data(document), .changes)
  }

  @concurrent
  private func whole() async throws -> CatalogUpdate {
    guard let bytes = try await body(of: url, missing: [404, 410]) else {
      throw CatalogLoadingError(url: url, reason: .missing)
    }
    let catalog = try Catalog(reading: bytes, verifiedBy: sha256)
    try Task.checkCancellation()
    // As it came: the digest is of these bytes.
    return stored(catalog, bytes, .whole)
  }

  private func body(of url: URL, missing: Set<Int>) async throws -> Data? {
    try await CatalogRequest.body(
      of: url, configuration, maximumBytes: maximumBytes, missing: missing)
  }

  private func stored(
    _ catalog: Catalog, _ bytes: Data, _ origin: CatalogUpdate.Origin
  ) -> CatalogUpdate {
    var update = CatalogUpdate(catalog: catalog, origin: origin)
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file, options: .atomic)
    } catch {
      update.storingError = error
    }
    return update
  }
}

/// A catalog, and where it came from.
public struct CatalogUpdate: Sendable {
  /// Whole, and verified by its digest.
  public let catalog: Catalog
  /// Where it came from.
  public let origin: Origin
  /// Why it could not be stored, as on a full disk; nil if it was, or if it is the stored one.
  public internal(set) var storingError: (any Error)?

  init(catalog: Catalog, origin: Origin) { (self.catalog, self.origin) = (catalog, origin) }

  /// Where a catalog came from.
  public enum Origin: Sendable {
    /// It is the one that the app had, and the current one.
    case unchanged
    /// From the one that the app had, by its changes.
    case changes
    /// It was fetched as a whole.
    case whole
    /// It is the stored one, which may be out of date: this error prevented an update.
    case cache(any Error)
  }
}

/// Why a server's answer is not used.
public struct CatalogLoadingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was requested.
  public let url: URL
  /// What is wrong with the answer.
  public let reason: Reason

  /// What is wrong with an answer.
  public enum Reason: Sendable, Hashable {
    /// There is no catalog: status 404 or 410.
    case missing
    /// Another status than 200, also that of a redirect to an insecure scheme.
    case status(Int)
    /// The answer has more bytes than the app's limit, which is this.
    case tooLarge(Int)
  }

  /// `https://example.com/feed/catalog.json: the server answered 503`.
  public var description: String {
    switch reason {
    case .missing: "\(url): there is no catalog"
    case .status(let status): "\(url): the server answered \(status)"
    case .tooLarge(let limit): "\(url): the answer has more than \(limit) bytes"
    }
  }
}
