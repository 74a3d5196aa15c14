internal import Foundation
internal import TesseraImageHeader

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The search for one header, request by request.
struct HeaderSearch {
  private let url: URL
  private let session: URLSession

  init(_ url: URL, _ session: URLSession) { (self.url, self.session) = (url, session) }

  /// - Throws: ``SizeError/timedOut`` after some seconds.
  func header(within seconds: Double) async throws -> ImageHeader {
    try await withThrowingTaskGroup(of: ImageHeader.self) { group in
      group.addTask { try await header() }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        throw SizeError.timedOut
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }

  private func header() async throws -> ImageHeader {
    var reader = HeaderReader()
    // A box of HEIF with many items is read on in pieces that double.
    var ahead = ReadAhead(
      first: 4096, hop: 2048, hops: 3, mostReads: 8, mostBytes: HeaderRequests.mostBytes)
    search: while case .needs(let wanted) = reader.reading {
      guard let range = ahead.next(for: wanted) else { break }
      switch try await HeaderRequests.send(url, range, session) {
      case .part(let bytes, let length):
        if let length { reader.end(at: length) }
        // A slice, because an array has a span from iOS 26 on only.
        let slice = bytes[...]
        reader.add(slice.span, at: range.lowerBound)
        // The same request would be repeated.
        if case .needs(let next) = reader.reading, next == wanted { throw SizeError.cutOff }
      case .whole(let whole):
        reader = whole
        break search
      }
    }
    // The size may be known, and only what could still change it may be too far away.
    reader.settle()
    switch reader.reading {
    case .header(let header): return header
    case .needs: throw SizeError.tooFar
    case .rejected(let rejection):
      throw rejection.kind == .truncated ? SizeError.cutOff : .notImage(rejection.reason)
    }
  }
}

/// One request for a range of a file.
private struct HeaderRequest {
  let range: Range<Int>
  let continuation: CheckedContinuation<HeaderRequests.Answer, any Error>
  var answer: HeaderRequests.Answer?
}

/// The requests of a session, by task. An answer is cut off as soon as it says enough.
///
/// `@unchecked Sendable`: every access holds the lock. `Mutex` would need a later system than the library does.
final class HeaderRequests: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  enum Answer {
    /// The bytes of the range, or as many as the file has; and the length of the file, if it is known.
    case part([UInt8], length: Int?)
    /// The server sends the file from its start.
    case whole(HeaderReader)
  }

  /// Of one file.
  static let mostBytes = 256 << 10

  private let lock = NSLock()
  private var requests: [Int: HeaderRequest] = [:]

  static func send(
    _ url: URL, _ range: Range<Int>, _ session: URLSession
  ) async throws -> Answer {
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
    request.setValue(
      "bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    let task = session.dataTask(with: request)
    guard let requests = session.delegate as? HeaderRequests else { throw CancellationError() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        requests.put(HeaderRequest(range: range, continuation: continuation), task)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  private func put(_ request: HeaderRequest, _ task: URLSessionTask) {
    lock.withLock { requests[task.taskIdentifier] = request }
  }

  /// Nil if it has ended: what still arrives of it is of no use.
  private func take(_ task: URLSessionTask) -> HeaderRequest? {
    lock.withLock { requests.removeValue(forKey: task.taskIdentifier) }
  }

  func urlSession(
    _ session: URLSession, dataTask task: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard var request = take(task) else { return completionHandler(.cancel) }
    do {
      request.answer = try Self.start(of: response, request.range)
      put(request, task)
      completionHandler(.allow)
    } catch {
      request.continuation.resume(throwing: error)
      completionHandler(.cancel)
    }
  }

  private static func start(
    of response: URLResponse, _ range: Range<Int>
  ) throws(SizeError) -> Answer {
    let http = response as? HTTPURLResponse
    switch http?.statusCode {
    case 206:
      // bytes 0-4095/12345
      let extent = http?.value(forHTTPHeaderField: "Content-Range")?.split { " -/".contains($0) }
      guard let extent, extent.count == 4, Int(extent[1]) == range.lowerBound else {
        throw .status(206)
      }
      return .part([], length: Int(extent[3]))
    case 200:
      var reader = HeaderReader()
      if response.expectedContentLength >= 0 {
        reader.end(at: Int(clamping: response.expectedContentLength))
      }
      return .whole(reader)
    case 416: throw .cutOff
    case let status: throw .status(status ?? 0)
    }
  }

  func urlSession(
    _ session: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data
  ) {
    guard var request = take(task), let answer = request.answer else { return }
    let isEnough: Bool
    switch answer {
    case .part(var bytes, let length):
      request.answer = nil
      // What is complete ends by itself, and leaves the connection for the next request.
      isEnough = bytes.count + data.count > request.range.count
      bytes += data.prefix(request.range.count - bytes.count)
      request.answer = .part(bytes, length: length)
    case .whole(var reader):
      request.answer = nil
      let slice = Array(data)[...]
      reader.add(slice.span)
      isEnough = !reader.isSearching || reader.count >= Self.mostBytes
      request.answer = .whole(reader)
    }
    guard isEnough, let answer = request.answer else { return put(request, task) }
    request.continuation.resume(returning: answer)
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let request = take(task) else { return }
    request.continuation.resume(
      with: Result {
        if let error {
          throw (error as? URLError)?.code == .cancelled ? CancellationError() : error
        }
        guard let answer = request.answer else { throw URLError(.badServerResponse) }
        guard case .whole(var reader) = answer else { return answer }
        reader.end()
        return .whole(reader)
      })
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
}
