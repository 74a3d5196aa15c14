/// One request for a source's bytes.
package struct FetchRequest: Sendable {
  package var url: String
  /// Sent to the URL's own origin (scheme, host, port), and not to another one that it redirects to.
  package var headers: [(name: String, value: String)]
  /// Makes the request conditional: the answer may then be "not modified".
  package var validators: Validators?
  /// Which bytes are wanted; nil means all. The server may send all in spite of it, so what came is
  /// told to ``BodyReceiving/begin(_:_:)``.
  package var range: Range<Int>?
  /// With a range: the validator of the version that it belongs to (RFC 9110, section 13.1.5). Of
  /// another version the server sends everything.
  package var ifRange: String?
  /// Whether the receiver has enough long before the end. Then a source may be larger than
  /// `maximumBytes`, as long as no more is read of it, and no compression is asked for.
  package var isForBeginning = false
  /// How long this may take from the moment when it leaves the queue.
  package var deadline: Duration
  /// Its place among those who wait: the lowest is next. Nil is behind all who are there.
  package var turn: Int?
  /// Where this goes on with what an earlier request began: when it has to have ended, time in the queue
  /// included. It then queues up before those that have not begun.
  package var end: ContinuousClock.Instant?

  package init(
    url: String, headers: [(name: String, value: String)] = [], validators: Validators? = nil,
    deadline: Duration
  ) {
    self.url = url
    self.headers = headers
    self.validators = validators
    self.deadline = deadline
  }
}

/// What identifies a version of a source (RFC 9110, section 8.8). At least one is not nil.
package struct Validators: Sendable, Equatable {
  package var etag: String?
  package var lastModified: String?

  package init?(etag: String?, lastModified: String?) {
    if etag == nil && lastModified == nil { return nil }
    self.etag = etag
    self.lastModified = lastModified
  }

  /// The validator that tells versions apart byte by byte; nil where there is none. A date tells by
  /// the second alone, so it is none (RFC 9110, section 8.8.2.2).
  package var strong: String? { etag.flatMap { $0.hasPrefix("\"") ? $0 : nil } }
}

/// A good answer.
package struct FetchResponse: Sendable {
  package enum Ending: Sendable {
    /// The whole body was received.
    case complete
    /// The receiver had enough.
    case stopped
    /// The server confirmed that nothing has changed (304); there is no body.
    case notModified
  }

  package var ending: Ending
  /// After redirects.
  package var url: String
  /// Whether a redirect led to another origin, to which the request's headers must not be sent.
  package var leftOrigin: Bool
  package var validators: Validators?
  /// How long the answer stays fresh, as the server says; nil where it does not.
  package var freshness: Duration?
  /// The body's bytes as received, after decompression.
  package var bytes: Int
  /// What the source's owner wants nobody to do with it (the header X-Robots-Tag); nil where the server says
  /// nothing.
  package var robots: String?
}

/// How a request ended.
package struct FetchResult: Sendable {
  package var result: Result<FetchResponse, FetchError>
  /// What a good answer's headers said, also where its body did not come to an end.
  package var begun: FetchResponse?
  /// The body's bytes that came in, wanted or not, after decompression.
  package var bytes: Int
  /// Requests that were sent, redirects included.
  package var requests: Int
  /// From leaving the queue to the end. Time spent in the queue is not the item's fault.
  package var time: Duration
}

/// Takes bodies as they arrive. All calls for one body come from one thread, in order.
package protocol BodyReceiving: AnyObject, Sendable {
  /// Called when the headers of a good answer are there, before its body's first byte.
  ///
  /// - Parameter validators: of the version that the body belongs to.
  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict

  func receive(_ bytes: RawSpan) -> BodyVerdict
}

extension BodyReceiving {
  package func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict { .more }
}

package enum BodyVerdict: Sendable {
  case more
  /// Nothing further is needed: the transfer is dropped, and that is no error.
  case enough
  /// The bytes could not be kept; the sentence goes into the error.
  case failed(String)
}

/// Settings that are the same for all requests of a run.
package struct FetchSettings: Sendable {
  package var concurrency: Int
  package var perHost: Int
  /// To connect, and from the request to the first byte of the answer.
  package var timeout: Duration
  /// Bytes a second over ``StallWatch/window``; slower is an error.
  package var minimumSpeed: Int
  package var maximumBytes: Int
  package var redirects: Int
  package var userAgent: String
  package var addresses: AddressPolicy
  package var proxies = ProxySettings()
  /// A file of the certificates that are trusted, instead of the system's.
  package var certificates: String?
  /// Folders that `file:` URLs may name files in.
  package var folders: [String] = []
  /// When the run as a whole ends: what is on its way then fails, and so does what is asked for later.
  package var end: ContinuousClock.Instant?
  /// How long an item may take as a whole: a host whose trouble lasts longer is given up.
  package var patience = Duration.seconds(120)
  /// How a user permits an address, given the word or block for it; completes "if that is meant, …".
  package var permissionHint: @Sendable (String) -> String = { permission in
    "add \"allow: [\(permission)]\" to the pipeline's \"fetch\""
  }

  package init(
    concurrency: Int = 16, perHost: Int = 6, timeout: Duration = .seconds(15),
    minimumSpeed: Int = 1_000, maximumBytes: Int = 64_000_000, redirects: Int = 5,
    userAgent: String = "Tessera/0.1 (+https://example.com/contact)",
    addresses: AddressPolicy = AddressPolicy()
  ) {
    self.concurrency = concurrency
    self.perHost = perHost
    self.timeout = timeout
    self.minimumSpeed = minimumSpeed
    self.maximumBytes = maximumBytes
    self.redirects = redirects
    self.userAgent = userAgent
    self.addresses = addresses
  }
}
