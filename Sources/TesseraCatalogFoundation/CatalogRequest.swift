internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One GET in a session of its own: the body of an answer with status 200, received in parts, so that one over the limit ends
/// before it is in memory.
///
/// `@unchecked Sendable`: the session calls from one queue at a time, and begins after `continuation` is set.
final class CatalogRequest: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let maximumBytes: Int
  private let missing: Set<Int>
  private var continuation: CheckedContinuation<Data?, any Error>?
  private var body: Data? = Data()
  private var failure: CatalogLoadingError.Reason?

  private init(maximumBytes: Int, missing: Set<Int>) {
    (self.maximumBytes, self.missing) = (maximumBytes, missing)
  }

  /// - Parameter missing: the statuses that say that there is no such document.
  /// - Returns: nil for these.
  /// - Throws: `CatalogLoadingError`, Foundation's error, or `CancellationError`.
  static func body(
    of url: URL, _ configuration: URLSessionConfiguration, maximumBytes: Int, missing: Set<Int>
  ) async throws -> Data? {
    try Task.checkCancellation()
    let delegate = CatalogRequest(maximumBytes: maximumBytes, missing: missing)
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    // Changes and a catalog change under their names, so a cached answer is used only if the server confirms it.
    let task = session.dataTask(
      with: URLRequest(url: url, cachePolicy: .reloadRevalidatingCacheData))
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          delegate.continuation = continuation
          task.resume()
        }
      } onCancel: {
        task.cancel()
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }

  func urlSession(
    _ session: URLSession, dataTask task: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    switch (response as? HTTPURLResponse)?.statusCode {
    case 200:
      if response.expectedContentLength > Int64(maximumBytes) { failure = .tooLarge(maximumBytes) }
    case let status? where missing.contains(status): body = nil
    case let status: failure = .status(status ?? 0)
    }
    completionHandler(failure == nil && body != nil ? .allow : .cancel)
  }

  func urlSession(
    _ session: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data
  ) {
    guard (body?.count ?? 0) + data.count <= maximumBytes else {
      failure = .tooLarge(maximumBytes)
      return task.cancel()
    }
    body?.append(data)
  }

  /// A redirect leads to a secure scheme, or stays with the one that the app chose.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let schemes = ["https", task.originalRequest?.url?.scheme]
    completionHandler(schemes.contains(request.url?.scheme) ? request : nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    if let failure, let url = task.originalRequest?.url {
      continuation?.resume(throwing: CatalogLoadingError(url: url, reason: failure))
    } else if let error, body != nil {
      continuation?.resume(throwing: error)
    } else {
      continuation?.resume(returning: body)
    }
    continuation = nil
  }
}
