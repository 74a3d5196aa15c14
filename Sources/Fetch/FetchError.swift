/// Why a source could not be fetched.
package struct FetchError: Error, Sendable, Equatable {
  /// The raw value is the catalog's `error.code`.
  package enum Code: String, Sendable {
    case badURL = "bad-url"
    case dns
    case network
    case tls
    case timeout
    case redirect
    case addressRefused = "address-refused"
    case httpStatus = "http-status"
    case tooLarge = "too-large"
    case truncated
    case badEncoding = "bad-encoding"
    case badResponse = "bad-response"
    /// Not what was asked for of a range. Who asks for ranges asks again without.
    case badRange = "bad-range"
    /// A file that is not there, or can't be read.
    case notFound = "not-found"
    /// The spool could not be written: the fault is ours, not the server's.
    case local
    case cancelled
    /// The run's own deadline came first.
    case runDeadline = "run-deadline"
  }

  package var code: Code
  /// A sentence without its full stop.
  package var message: String
  /// Whether the same request may succeed later.
  package var isRetryable: Bool
  /// The HTTP status behind ``Code/httpStatus``; 0 for other codes.
  package var status: Int
  /// What the server's Retry-After asked for.
  package var retryAfter: Duration?
  /// Whether nobody was asked, since the host has had trouble for too long: it may succeed in a later run, and not
  /// in this one.
  package var isHostGivenUp = false

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
    .runDeadline, "the run's deadline came before this picture's turn", isRetryable: true)
}
