internal import TesseraText

/// One request for a source's bytes.
package struct FetchRequest: Sendable {
  package var url: String
  /// Whether a redirect to another origin led to the URL, which must not receive the configured
  /// headers: they may hold credentials.
  package var leftOrigin = false
  /// Makes the request conditional: the result may then be ``FetchResponse/Ending/notModified``.
  package var condition: Condition?
  /// The bytes to request; nil requests all of them. A server may ignore a range and send
  /// everything: ``BodyReceiving/begin(_:_:)`` reports what the body holds.
  package var range: Range<Int>?
  /// With a range: the validator of the version that the range belongs to (RFC 9110, section
  /// 13.1.5). If the source has changed, the server sends all of the new version.
  package var ifRange: String?
  /// Whether the receiver stops long before the end. Then the source may be larger than
  /// `maximumBytes`, as long as no more is read of it, and compression is not offered.
  package var isForBeginning = false
  /// How long the request may take from when it leaves the queue.
  package var deadline: Duration
  /// The position among queued requests: the lowest starts next. Nil is behind all of them.
  package var turn: Int?
  /// Set if this request continues what an earlier one began: the time by which it must have ended,
  /// time in the queue included. It starts before all requests that begin something new.
  package var end: ContinuousClock.Instant?

  package init(
    url: String, condition: Condition? = nil, deadline: Duration
  ) {
    self.url = url
    self.condition = condition
    self.deadline = deadline
  }
}

extension RequestHeader {
  /// Whether requests to the origin have the header. The origin is what libcurl connects to: another
  /// reading of the same URL could name another host.
  func isFor(_ origin: Origin) -> Bool {
    host.map { origin.names.contains(HostName.withPort($0)) } ?? true
  }
}

extension Origin {
  /// What settings that are bound to a host may call it: with its port, and without a default one.
  var names: [String] {
    // The port names https. A URL may say http all the same, which everyone on the way could read.
    if host.isEmpty || (scheme, port) == ("http", "443") { return [] }
    let whole = "\(host):\(port)"
    return authority == whole ? [whole] : [whole, authority]
  }
}

/// Receives bodies as they arrive. All calls for one body come from one thread, in order.
package protocol BodyReceiving: AnyObject, Sendable {
  /// Called after the headers of a successful response, before the first byte of its body.
  ///
  /// - Parameter validators: of the version that the body belongs to.
  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict

  func receive(_ bytes: RawSpan) -> BodyVerdict
}

extension BodyReceiving {
  package func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict { .more }
}

/// Which bytes of a source the body of a response holds.
package enum BodyExtent: Sendable, Equatable {
  /// All of them. The length is nil if the server does not report it, or reports the length of
  /// compressed bytes.
  case whole(length: Int?)
  /// A part (206), and the length of the whole if the server reports it.
  case part(Range<Int>, of: Int?)
}

package enum BodyVerdict: Sendable {
  case more
  /// Nothing further is needed: the transfer is dropped, which is not an error.
  case enough
  /// The bytes could not be stored; the sentence becomes the error's message.
  case failed(String)
  /// The memory for more of this source is in use. A retry may succeed.
  case noRoom
}

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

/// What identifies a version of a source (RFC 9110, section 8.8). At least one of both is set.
///
/// It belongs to the place that gave it: two places may use the same ETag for different images.
package struct Validators: Sendable, Equatable {
  package var etag: String?
  package var lastModified: String?

  /// Nil if neither is usable.
  package init?(etag: String?, lastModified: String?) {
    self.etag = etag.flatMap(Self.usable)
    self.lastModified = lastModified.flatMap(Self.usable)
    if self.etag == nil && self.lastModified == nil { return nil }
  }

  /// Nil if the text cannot be sent back as it came. RFC 9110, section 5.5 forbids control
  /// characters in a header: a bare CR may begin a line of its own for the server. U+FFFD replaces
  /// bytes that are not UTF-8, so it is not what the server sent.
  private static func usable(_ text: String) -> String? {
    text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "\u{FFFD}" }
      ? nil : text
  }

  /// The validator that changes with every byte; nil if there is none. Last-Modified is not strong:
  /// its resolution is a second (RFC 9110, section 8.8.2.2). Neither is an ETag that begins with
  /// W/.
  package var strong: String? { etag.flatMap { $0.hasPrefix("\"") ? $0 : nil } }
}

/// What makes a request conditional: "only if the version is another one than this".
package struct Condition: Sendable, Equatable {
  package var validators: Validators
  /// The place that gave them (``FetchResponse/place``). They are sent to no other one that a
  /// redirect leads to, because its "not modified" would be about another image.
  package var place: String

  /// Nil if one of both is unknown.
  package init?(_ validators: Validators?, at place: String?) {
    guard let validators, let place else { return nil }
    self.validators = validators
    self.place = place
  }

  /// What a request to this URL is sent with; nil for nothing. The validators belong to another place
  /// if a redirect leads elsewhere than when they were received.
  ///
  /// - Parameter parameters: query parameters that do not identify a source.
  func validators(at url: String, ignoring parameters: [String]) -> Validators? {
    // Most places are the URL itself.
    if place.utf8.elementsEqual(url.utf8) { return validators }
    let known = SourceURL.place(place, ignoring: parameters)
    return known.isSame(as: SourceURL.place(url, ignoring: parameters)) ? validators : nil
  }
}
