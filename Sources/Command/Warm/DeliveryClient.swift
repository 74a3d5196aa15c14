internal import Synchronization
internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraSystem
internal import TesseraText

/// How an image service is reached.
struct DeliveryAccess: Sendable {
  var concurrency: Int
  var timeout: Duration
  /// Networks besides the public internet, as `fetch.allow` has them.
  var allow: [String]

  /// As a browser asks: a service may choose the format by it.
  private static let accept = "image/avif,image/jxl,image/webp,image/*;q=0.8"

  /// Of one file, all attempts together.
  fileprivate var deadline: Duration { timeout * 8 }

  fileprivate var settings: FetchSettings {
    var settings = FetchSettings(
      concurrency: concurrency, perHost: concurrency, timeout: timeout,
      addresses: AddressPolicy(allow: allow))
    settings.takeEnvironment()
    settings.patience = deadline
    settings.headers = [RequestHeader(name: "Accept", value: Self.accept)]
    settings.permissionHint = { permission in "say --allow \(permission.filter { $0 != "\"" })" }
    return settings
  }
}

/// Requests files from an image service, and compares what comes with what the catalog says.
struct DeliveryClient: ~Copyable {
  private let fetcher: Fetcher
  private let policy: RetryPolicy
  private let concurrency: Int

  /// Attempts after the first.
  private static let retries = 3

  init(_ access: DeliveryAccess) throws {
    fetcher = try Fetcher(access.settings)
    policy = RetryPolicy(retries: Self.retries, deadline: access.deadline)
    concurrency = access.concurrency
  }

  deinit { fetcher.close() }

  var bytes: Int { fetcher.counts.bytes }

  /// Requests files, as many at a time as configured.
  ///
  /// - Parameters:
  ///   - next: the next file; nil at the end.
  ///   - done: called for one file at a time, in any order; the problem completes "the file …".
  func request(
    _ next: () throws -> DeliveredFile?, done: (DeliveredFile, _ problem: String?) -> Void
  ) async throws {
    let (fetcher, policy) = (fetcher, policy)
    try await withThrowingTaskGroup(of: (DeliveredFile, String?).self) { group in
      var open = 0
      func takeOne() async throws {
        guard let (file, problem) = try await group.next() else { return }
        open -= 1
        done(file, problem)
      }
      while let file = try next() {
        if open >= concurrency { try await takeOne() }
        try Task.checkCancellation()
        open += 1
        group.addTask { (file, try await Self.problem(of: file, fetcher, policy)) }
      }
      while open > 0 { try await takeOne() }
    }
  }

  /// What is wrong with a file as the service makes it; nil if nothing is.
  private static func problem(
    of file: DeliveredFile, _ fetcher: Fetcher, _ policy: RetryPolicy
  ) async throws -> String? {
    var tries = Tries(policy)
    while true {
      let receiver = HeaderWatch()
      var request = FetchRequest(url: file.url, deadline: policy.deadline)
      request.end = tries.end
      let answer = await fetcher.fetch(request, host: SourceHost.name(of: file.url), into: receiver)
      tries.took(answer)
      switch answer.result {
      case .success:
        return HeaderComparison.problem(
          receiver.reading, width: file.width, height: file.height, type: file.type)
      case .failure(let error):
        if error.code == .cancelled { throw CancellationError() }
        guard try await tries.wait(after: error) else {
          return "can't be fetched: \(error.message)"
        }
      }
    }
  }
}

/// Reads the header of a body, all of which is fetched: only then does a service keep the file.
private final class HeaderWatch: BodyReceiving {
  private let reader = Mutex(HeaderReader(isExact: false))

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    reader.withLock { reader in
      if reader.isSearching, !reader.isOver(HeaderReader.reach) { reader.add(bytes) }
    }
    return .more
  }

  var reading: HeaderReading {
    reader.withLock { reader in
      reader.end()
      return reader.streamed()
    }
  }
}

/// A file of a catalog that an image service makes.
struct DeliveredFile: Sendable {
  var id: String
  var url: String
  var type: String
  var width: Int
  var height: Int

  /// All of an image.
  static func all(of image: CatalogImage) -> [DeliveredFile] {
    image.variants.flatMap { variant in
      variant.allFiles.compactMap { file in
        file.url.map {
          DeliveredFile(
            id: image.id, url: $0, type: file.type, width: variant.width, height: variant.height)
        }
      }
    }
  }
}
