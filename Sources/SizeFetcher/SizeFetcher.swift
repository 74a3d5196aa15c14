public import Foundation
public import TesseraImageHeader

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Finds the size and the format of images on the web from their first bytes, for what the catalog does not have yet: a post that
/// the user has just written.
///
///     let sizes = SizeFetcher()
///     let header = try await sizes.size(of: url)
///     print(header.width, header.height, header.format)
///
/// It requests 4 KiB, and then what the header says it needs: at most 8 requests and 256 KiB. Sizes are as displayed. The first to
/// ask is the first to be served; an image that several ask for is one search, and what was found is remembered. Cancelling
/// the task of a caller ends its wait, and the search if no other waits.
public actor SizeFetcher {
  private let limit: Int
  private let timeout: Double
  private let remembered: Int
  private let session: URLSession

  private var searches: [URL: Search] = [:]
  /// Those that have not begun, the oldest first.
  private var queue: [URL] = []
  private var running = 0
  private var known: [URL: Known] = [:]
  private var count = 0

  private struct Search {
    let number: Int
    var waiting: [Int: CheckedContinuation<ImageHeader, any Error>] = [:]
    var task: Task<Void, Never>?
  }

  private struct Known {
    var header: ImageHeader
    var lastUse: Int
  }

  /// - Parameters:
  ///   - requests: how many images are searched at a time.
  ///   - timeout: in seconds, of one image, without its wait in the queue.
  ///   - remembered: how many answers are kept; the least recently used goes first. A failure is not kept.
  ///   - configuration: of the session.
  public init(
    requests: Int = 4, timeout: Double = 10, remembered: Int = 1_000,
    configuration: URLSessionConfiguration = .ephemeral
  ) {
    limit = max(1, requests)
    (self.timeout, self.remembered) = (timeout, remembered)
    session = URLSession(
      configuration: configuration, delegate: HeaderRequests(), delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// The header of an image: its size, its format, and what else its first bytes say.
  ///
  /// - Parameters:
  ///   - url: `https:` or `http:`.
  ///   - force: whether to ask the server although the answer is remembered.
  /// - Throws: ``SizeError``, `URLError`, or `CancellationError`.
  public func size(of url: URL, force: Bool = false) async throws -> ImageHeader {
    guard ["http", "https"].contains(url.scheme?.lowercased() ?? "") else { throw SizeError.scheme }
    count += 1
    let number = count
    if !force, known[url] != nil {
      known[url]?.lastUse = number
      if let header = known[url]?.header { return header }
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait($0, number, for: url) }
    } onCancel: {
      Task { await self.cancel(number, for: url) }
    }
  }

  private func wait(
    _ continuation: CheckedContinuation<ImageHeader, any Error>, _ number: Int, for url: URL
  ) {
    if searches[url] == nil {
      searches[url] = Search(number: number)
      queue.append(url)
    }
    searches[url]?.waiting[number] = continuation
    startNext()
  }

  private func cancel(_ number: Int, for url: URL) {
    guard let continuation = searches[url]?.waiting.removeValue(forKey: number) else { return }
    continuation.resume(throwing: CancellationError())
    guard let search = searches[url], search.waiting.isEmpty else { return }
    search.task?.cancel()
    searches[url] = nil
    if let place = queue.firstIndex(of: url) { queue.remove(at: place) }
  }

  private func startNext() {
    while running < limit, !queue.isEmpty {
      let url = queue.removeFirst()
      guard let number = searches[url]?.number else { continue }
      running += 1
      searches[url]?.task = Task { [session, timeout] in
        let result: Result<ImageHeader, any Error>
        do {
          result = .success(try await HeaderSearch(url, session).header(within: timeout))
        } catch {
          result = .failure(error)
        }
        end(url, number, result)
      }
    }
  }

  private func end(_ url: URL, _ number: Int, _ result: Result<ImageHeader, any Error>) {
    running -= 1
    // Another search for the same URL may have begun after this one was cancelled.
    if searches[url]?.number == number {
      if case .success(let header) = result { remember(header, url) }
      for waiting in searches.removeValue(forKey: url)?.waiting.values ?? [:].values {
        waiting.resume(with: result)
      }
    }
    startNext()
  }

  private func remember(_ header: ImageHeader, _ url: URL) {
    count += 1
    known[url] = Known(header: header, lastUse: count)
    guard known.count > remembered,
      let oldest = known.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    else { return }
    known[oldest] = nil
  }
}

/// Why a size was not found.
public enum SizeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The URL is not one of `https:` or `http:`.
  case scheme
  /// The server answered with this status, also that of a redirect from `https:` to `http:`.
  case status(Int)
  /// The file is something else, or damaged. The reason completes "the file is …".
  case notImage(String)
  /// The file, or the answer, ends before the size.
  case cutOff
  /// The size is not in what 8 requests and 256 KiB reach.
  case tooFar
  /// It took too long.
  case timedOut

  /// `the file is an HTML page, not an image`.
  public var description: String {
    switch self {
    case .scheme: "the URL does not begin with https:// or http://"
    case .status(let status): "the server answered \(status)"
    case .notImage(let reason): "the file is \(reason)"
    case .cutOff: "the file is cut off before the size of its image"
    case .tooFar: "the size of the image is not in the first bytes of the file"
    case .timedOut: "the size of the image was not found in time"
    }
  }
}

extension SizeError: LocalizedError {
  public var errorDescription: String? { description }
}
