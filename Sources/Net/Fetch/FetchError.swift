/// Why a source could not be fetched.
package struct FetchError: Error, Sendable, Equatable {
  /// The raw value is the catalog's `error.code`.
  package enum Code: String, Sendable, CaseIterable {
    case badURL = "bad-url"
    case dns
    case network
    case tls
    case timeout
    case redirect
    case addressRejected = "address-rejected"
    case httpStatus = "http-status"
    case tooLarge = "too-large"
    case truncated
    case badEncoding = "bad-encoding"
    case badResponse = "bad-response"
    /// The response does not match the requested range. The caller repeats it without a range.
    case badRange = "bad-range"
    /// A local file that does not exist.
    case notFound = "not-found"
    /// A local file that exists and cannot be read, or that has no bytes.
    case notReadable = "not-readable"
    /// A local file behind a symbolic link that leads to nothing, or out of the allowed folders.
    case symlink
    /// The spool could not be written: a fault of this machine, not of the server.
    case local
    /// Too many sources needed memory at the same time.
    case outOfMemory = "out-of-memory"
    case cancelled
    /// The deadline of the whole run passed first.
    case runDeadline = "run-deadline"
  }

  package var code: Code
  /// A sentence without its capital and full stop.
  package var message: String
  /// Whether the same request may succeed later.
  package var isRetryable: Bool
  /// The HTTP status behind ``Code/httpStatus``; 0 for other codes.
  package var status: Int
  /// The pause that the server requests in Retry-After.
  package var retryAfter: Duration?
  /// Whether no request was sent, because the host has failed for too long. A later run may
  /// succeed; a retry in this one is useless.
  package var isHostGivenUp = false

  /// Whether the message of an error stands for a request that was not sent.
  package static func wasWaiting(message: String) -> Bool {
    message.contains(givenUp) || message.contains(timeLimit.message)
  }

  /// How the message of an error ends that stands for requests which were not sent.
  package static let givenUp = "the host has failed for too long and is skipped for now"

  package init(
    _ code: Code, _ message: String, isRetryable: Bool = false, status: Int = 0,
    retryAfter: Duration? = nil
  ) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
    self.status = status
    self.retryAfter = retryAfter
  }

  package static let runDeadline = FetchError(
    .runDeadline, "the run's deadline passed before this image was done", isRetryable: true)

  /// The time of a request is over while it waits for its turn, and nothing else is known.
  package static let timeLimit = FetchError(
    .timeout, "the time limit was reached before another request could be sent to the host",
    isRetryable: true)

  /// This failure of a host, for a request whose time is over before the host works again.
  var asTimeLimit: FetchError { with(Self.timeLimit.message) }

  /// This failure of a host, for a request that is not sent because of it.
  var asGivenUp: FetchError {
    var error = with(Self.givenUp)
    error.isHostGivenUp = true
    return error
  }

  private func with(_ consequence: String) -> FetchError {
    var error = self
    error.message += "; \(consequence)"
    return error
  }

  static func tooLarge(_ maximumBytes: Int) -> FetchError {
    FetchError(.tooLarge, "the file is larger than \(maximumBytes) bytes (max-bytes)")
  }

  package static let noRoom = FetchError(
    .outOfMemory, "too many images without a size in their first bytes arrived at the same time",
    isRetryable: true)

  static func headersTooLarge(_ maximumBytes: Int) -> FetchError {
    FetchError(.tooLarge, "the server's headers exceed \(maximumBytes) bytes")
  }
}

extension Duration {
  var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }

  /// The duration in a message: "15 s" or "500 ms".
  var sentence: String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
