internal import Synchronization
internal import TesseraManifest
package import TesseraNet
package import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// Fetches a manifest at a URL into a file, with the pipeline's settings for the network: addresses,
/// headers, retries, and the minimum speed.
struct ManifestDownload {
  /// A manifest of ten million lines has about two gigabytes. What is larger is a mistake.
  private static let maximumBytes = 16_000_000_000
  private static let deadline = Duration.seconds(3_600)

  private let fetch: PipelineFile.Fetch
  /// The request URL, and the URL without secrets.
  private let url: String
  private let shown: String

  private let end: ContinuousClock.Instant?

  /// - Parameter end: when the run ends, if it has a deadline.
  init(_ url: String, of pipeline: PipelineFile, end: ContinuousClock.Instant? = nil) {
    self.end = end
    self.url = pipeline.fetch.rewritten(url)
    fetch = pipeline.fetch
    shown = pipeline.shown(url)
  }

  /// - Parameter directory: where the file is; it has no name there.
  func file(in directory: String) async throws -> File {
    var settings = fetch.fetchSettings
    settings.maximumBytes = Self.maximumBytes
    // Headers without a host are for the host of the images, which may be another one.
    if fetch.hasUnboundHeaders { settings.headers.removeAll { $0.host == nil } }
    settings.end = end
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    var policy = fetch.retryPolicy
    policy.deadline = Self.deadline
    var tries = Tries(policy.at(url), runEnd: end)
    while true {
      // An empty file for each attempt, so that parts of two versions are never joined.
      let receiver = Receiver(try File.temporary(in: directory))
      var request = FetchRequest(url: url, deadline: Self.deadline)
      request.end = tries.end
      let answer = await fetcher.fetch(request, host: SourceHost.name(of: url), into: receiver)
      tries.took(answer)
      switch answer.result {
      case .success:
        guard let file = try receiver.file() else {
          throw TesseraError.manifest(path: shown, reason: "the answer has no body")
        }
        return file
      case .failure(let error):
        if error.code == .cancelled { throw CancellationError() }
        if error.code == .local { throw TesseraError(.local, error.message) }
        guard try await tries.wait(after: error) else {
          throw TesseraError.manifest(
            path: shown,
            reason: "\(error.message) (\(error.code.rawValue))",
            isRetryable: error.isRetryable)
        }
      }
    }
  }

  private final class Receiver: BodyReceiving {
    private let target: Mutex<File?>

    init(_ file: consuming File) { target = Mutex(file) }

    func receive(_ bytes: RawSpan) -> BodyVerdict {
      target.withLock { file in
        do throws(SystemError) {
          try file?.write(bytes)
          return .more
        } catch {
          return .failed("\(error)")
        }
      }
    }

    /// The received bytes, to be read from their start; nil if there are none. Call it once, when the
    /// transfer has succeeded.
    func file() throws(SystemError) -> File? {
      guard let file = target.withLock({ $0.take() }), try file.size() > 0 else { return nil }
      try file.rewind()
      return file
    }
  }
}

/// Fetches a manifest in an object store into a file.
struct ObjectDownload {
  private let location: StoreLocation
  private let client: StoreClient

  private static let part = 16 << 20

  /// Nil unless the text is like `s3://bucket/key`.
  init?(_ text: String, _ settings: StoreSettings) {
    guard let location = StoreLocation(text), !location.key.isEmpty else { return nil }
    self.location = location
    client = StoreClient(settings)
  }

  /// - Parameter directory: where the file is; it has no name there.
  func file(in directory: String) async throws -> File {
    let file = try File.temporary(in: directory)
    let pool = BlockingPool(limit: 1)
    var offset = 0
    var version: String?
    while true {
      try Task.checkCancellation()
      let (position, known) = (offset, version)
      let (bytes, etag) = try await answer {
        try await pool.run { [client, location] () throws(StoreError) in
          try client.get(location, Self.part, at: position, if: known)
        }
      }
      if bytes.isEmpty { break }
      try file.write(bytes)
      offset += bytes.count
      // All parts of one version.
      version = etag.isEmpty ? nil : etag
      if bytes.count < Self.part { break }
    }
    try file.rewind()
    return file
  }

  private func answer<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as StoreError {
      throw TesseraError.manifest(path: "\(location)", reason: "it \(error.finding)")
    }
  }
}

extension PipelineFile.Store {
  /// The settings as the client takes them.
  package var settings: StoreSettings {
    StoreSettings(endpoint: endpoint, region: region, usesPathStyle: usesPathStyle)
  }
}

extension PipelineFile.Fetch {
  /// The settings as the fetcher takes them.
  package var fetchSettings: FetchSettings {
    var settings = FetchSettings(
      concurrency: concurrency, perHost: perHost, timeout: timeout, minimumSpeed: minimumSpeed,
      maximumBytes: maximumBytes, redirects: redirects, userAgent: userAgent,
      addresses: AddressPolicy(allow: allow))
    settings.headers = headers
    settings.hosts = HostRules(hosts)
    settings.rate = rate
    settings.patience = deadline
    settings.folders = folders
    settings.buckets = buckets
    settings.ignoredQuery = ignoredQuery
    settings.takeEnvironment()
    return settings
  }

  /// How often an item is requested, and for how long.
  package var retryPolicy: RetryPolicy {
    RetryPolicy(retries: retries, deadline: deadline, hosts: HostRules(hosts))
  }
}
