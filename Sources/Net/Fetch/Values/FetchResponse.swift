/// A successful response.
package struct FetchResponse: Sendable {
  package enum Ending: Sendable {
    /// The whole body was received.
    case complete
    /// The receiver had enough.
    case stopped
    /// The server confirmed that nothing has changed (304, without a body).
    case notModified
  }

  package var ending: Ending
  /// The URL after redirects.
  package var url: String
  /// The same without secrets and without what may differ each time: see
  /// `SourceURL.place(_:ignoring:)`. The validators belong to it.
  package var place: String
  /// Whether a redirect led to another origin, to which the request's headers must not be sent.
  package var leftOrigin: Bool
  package var validators: Validators?
  /// How long the response stays fresh according to the server; nil if it does not say.
  package var freshness: Duration?
  /// The same of each redirect that led to it.
  package var redirectFreshness: [Duration?] = []
  /// The bytes of the body as received, after decompression.
  package var bytes: Int
  /// The header X-Robots-Tag, in which the owner restricts the use of the source; nil if it is
  /// missing.
  package var robots: String?
}

/// How a request ended. An object, because each function that waits for one would keep room for all of it.
package final class FetchResult: Sendable {
  package let result: Result<FetchResponse, FetchError>
  /// The response, or, if the request failed after the headers of a success, what these said.
  package let begun: FetchResponse?
  /// The bytes of bodies that arrived, used or not, after decompression.
  package let bytes: Int
  /// The HTTP requests that were sent, redirects included.
  package let requests: Int
  /// The time from leaving the queue to the end, without what it waited for a rate. An item is not charged for time in
  /// the queue.
  package let time: Duration
  /// How long a request that had begun waited for a rate: the rest of a download, a retry, or a redirect.
  package let waited: Duration
  /// Host and port that the last request went to; empty if there was none, or it was not answered.
  package let answeredBy: String

  package init(
    result: Result<FetchResponse, FetchError>, begun: FetchResponse?, bytes: Int, requests: Int,
    time: Duration, waited: Duration = .zero, answeredBy: String = ""
  ) {
    (self.result, self.begun) = (result, begun)
    (self.bytes, self.requests, self.time) = (bytes, requests, time)
    (self.waited, self.answeredBy) = (waited, answeredBy)
  }
}

/// Totals of a fetcher's requests.
package struct FetchStatistics: Sendable, Equatable {
  package var requests = 0
  package var notModified = 0
  package var bytes = 0
  package var hosts = HostTally()

  package init(requests: Int = 0, notModified: Int = 0, bytes: Int = 0) {
    (self.requests, self.notModified, self.bytes) = (requests, notModified, bytes)
  }

  mutating func count(_ result: FetchResult) {
    hosts.add(result)
    requests += result.requests
    bytes += result.bytes
    if case .success(let response) = result.result, case .notModified = response.ending {
      notModified += 1
    }
  }
}
