/// How much of the response to one hop of a transfer has arrived, and how long it has taken. A
/// value; the caller passes `now`.
struct ResponseProgress {
  /// The requested range, if any.
  let range: Range<Int>?
  private(set) var headers = ResponseHeaders()
  /// What the body holds; nil until the headers of a successful response are complete.
  private(set) var extent: BodyExtent?
  private var stall: StallWatch?
  /// When the request was sent; nil once the first byte of the response has arrived.
  private var waitingSince: ContinuousClock.Instant?
  /// How long that took.
  private(set) var latency: Duration?

  /// When the headers of a response were complete whose body is drained.
  private var drainingSince: ContinuousClock.Instant?

  init(range: Range<Int>?) { self.range = range }

  /// Whether the body holds requested bytes.
  var isSuccess: Bool {
    switch headers.status {
    // 204 and 205 have no content, so they are errors here.
    case 200, 203: true
    // A part that was not requested violates RFC 9110, section 15.3.7.
    case 206: range != nil
    default: false
    }
  }

  var isRedirect: Bool { HTTPStatus.isRedirect(headers.status) }

  var validators: Validators? {
    Validators(etag: headers["etag"], lastModified: headers["last-modified"])
  }

  mutating func requestIsSent(now: ContinuousClock.Instant) { waitingSince = now }

  enum Step {
    case more
    /// The headers of a successful response are complete: its body follows.
    case body(BodyExtent)
    /// The headers of any other response are complete. They say everything: its body, which is text
    /// for people, is not needed, and may never come.
    case enough
    /// As ``enough``, but the body is so short that reading it costs less than another connection,
    /// if it comes soon (``isDrainOver(now:)``).
    case drain
  }

  /// The longest body that is read for the sake of the connection, in bytes.
  static let drainedBytes = 16 * 1024
  /// How long it may take: a few round trips, like the connection that it saves.
  static let drainTime = Duration.milliseconds(500)

  /// Whether the body of a response that is not a success is late.
  func isDrainOver(now: ContinuousClock.Instant) -> Bool {
    drainingSince.map { $0.duration(to: now) > Self.drainTime } ?? false
  }

  /// Adds a line of the headers.
  mutating func add(
    _ line: some BidirectionalCollection<UInt8>, minimumSpeed: Int, now: ContinuousClock.Instant
  ) throws(FetchError) -> Step {
    // Interim responses count, too: the server has responded.
    if let waitingSince { latency = waitingSince.duration(to: now) }
    waitingSince = nil
    // libcurl passes trailers here, too. They follow the body, and nothing in them is used.
    guard extent == nil else { return .more }
    headers.add(line)
    // An empty line ends the headers. Below 200 they are those of an interim response.
    guard line.count <= 2, headers.status >= 200 else { return .more }
    // From here on, the body must arrive at the minimum speed.
    stall = StallWatch(minimumSpeed: minimumSpeed, now: now)
    if isSuccess {
      let extent = try headers.extent(wanted: range)
      self.extent = extent
      return .body(extent)
    }
    // A response without a body is left to libcurl: then the connection can be reused.
    let hasBody = headers["content-length"] != "0" && ![204, 304].contains(headers.status)
    guard hasBody else { return .more }
    guard let length = headers["content-length"].flatMap({ Int($0) }),
      (1...Self.drainedBytes).contains(length)
    else { return .enough }
    drainingSince = now
    return .drain
  }

  mutating func received(_ count: Int) { stall?.received(count) }

  // MARK: Errors

  /// An error if the first byte is late, or the body has stalled.
  mutating func overdue(
    timeout: Duration, minimumSpeed: Int, now: ContinuousClock.Instant
  ) -> FetchError? {
    if let waitingSince, waitingSince.duration(to: now) > timeout {
      return FetchError(
        .timeout, "the server did not respond within \(timeout.sentence)", isRetryable: true)
    }
    if stall?.isStalled(now: now) == true {
      return FetchError(
        .timeout,
        "the transfer stalled: fewer than \(minimumSpeed) bytes a second over "
          + StallWatch.window.sentence, isRetryable: true)
    }
    return nil
  }

  /// The error for a status that is not a success.
  ///
  /// - Parameter now: seconds since 1970 in UTC, for a date in Retry-After.
  func statusError(now: Double) -> FetchError {
    let status = headers.status
    // Only a proxy sends 407 (Proxy Authentication Required).
    let who = status == 407 ? "the proxy that the environment names" : "the server"
    return FetchError(
      .httpStatus, HTTPStatus.answer(of: who, status), isRetryable: HTTPStatus.isRetryable(status),
      status: status, retryAfter: headers.requestedPause(now: Int(now)))
  }
}

/// The header Content-Range (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Equatable {
  package var range: Range<Int>
  /// The length of the whole; nil if the server does not know it.
  package var total: Int?

  /// Nil if the text is not a valid range of bytes.
  package init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last
    else { return nil }
    range = first..<last + 1
    if parts[1] != "*" {
      guard let total = Self.number(parts[1]), last < total else { return nil }
      self.total = total
    }
  }

  /// Digits only: `Int` would accept a sign. At most 15, so that no sum can overflow.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 15,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }
}

extension ResponseHeaders {
  /// What the body of a successful response holds.
  ///
  /// - Parameter wanted: the requested range; nil if everything was requested.
  /// - Throws: ``FetchError/Code/badRange`` if the response is a part that does not begin at the
  ///   beginning of the requested range: bytes of unknown offset must not be combined; or
  ///   ``FetchError/Code/badResponse``.
  func extent(wanted: Range<Int>?) throws(FetchError) -> BodyExtent {
    guard !isContradictory("content-length") else {
      throw FetchError(.badResponse, "the server stated different lengths (Content-Length)")
    }
    guard status == 206 else {
      // A malformed or negative Content-Length counts as unknown.
      let length = isCompressed ? nil : self["content-length"].flatMap { Int($0) }
      return .whole(length: length.flatMap { $0 >= 0 ? $0 : nil })
    }
    guard let text = self["content-range"] else {
      throw FetchError(.badRange, "the server sent a part without Content-Range")
    }
    guard let wanted, let content = ContentRange(text),
      content.range.lowerBound == wanted.lowerBound
    else { throw FetchError(.badRange, "the server sent a different range than requested") }
    guard !isCompressed else {
      throw FetchError(.badRange, "the server sent a part of compressed data")
    }
    return .part(content.range, of: content.total)
  }
}

extension ResponseHeaders {
  /// The codings that Content-Encoding lists, in lower case.
  private var codings: [String] {
    (self["content-encoding"] ?? "").split(separator: ",")
      .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }.filter { !$0.isEmpty }
  }

  /// Whether the body has an unknown coding: `utf-8`, `aws-chunked`, `image/jpeg`. Then it is the content as it is,
  /// as for browsers (Fetch, "handle content codings"): stores and frameworks write anything there.
  var hasUnknownCoding: Bool { !CurlLibrary.contentCodings.isSuperset(of: codings) }

  /// Whether lengths and offsets say nothing about the bytes that arrive, because the body is decompressed.
  var isCompressed: Bool {
    !hasUnknownCoding && codings.contains { $0 != "identity" && $0 != "none" }
  }
}

/// What HTTP status codes mean here (RFC 9110, section 15).
package enum HTTPStatus {
  /// Whether the same request may succeed later. 425 is Too Early (RFC 8470).
  static func isRetryable(_ status: Int) -> Bool {
    [408, 425, 429, 500, 502, 503, 504].contains(status) || GatewayStatus.contains(status)
  }

  /// Whether the server wants fewer requests, or has none behind it that could answer.
  static func isBusy(_ status: Int) -> Bool {
    status == 429 || status == 503 || GatewayStatus.contains(status)
  }

  /// Whether a message of the error `http-status` says so.
  package static func isBusy(message: String) -> Bool {
    status(inMessage: message).map(isBusy) ?? false
  }

  // Not 300, which offers a choice, nor 304, which answers a conditional request (section 15.4).
  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  /// What the error `http-status` says: a clause.
  static func answer(of who: String, _ status: Int) -> String {
    "\(who)\(answered)\(status)\(phrase(status).map { " \($0)" } ?? "")"
  }

  /// The status that a message of that error names; nil if it names none.
  package static func status(inMessage message: String) -> Int? {
    guard let verb = message.firstRange(of: answered) else { return nil }
    let digits = message[verb.upperBound...].prefix { $0.isASCII && $0.isNumber }
    return digits.count == 3 ? Int(digits) : nil
  }

  private static let answered = " answered "

  /// The standard reason phrase; nil for a status that is rare. The server's own phrase is not
  /// used, because the catalog must not repeat text from an untrusted source.
  static func phrase(_ status: Int) -> String? {
    let phrases = [
      204: "No Content", 206: "Partial Content", 304: "Not Modified", 400: "Bad Request",
      401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
      406: "Not Acceptable", 408: "Request Timeout", 410: "Gone", 425: "Too Early",
      429: "Too Many Requests", 451: "Unavailable For Legal Reasons",
      500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
      504: "Gateway Timeout",
    ]
    return phrases[status]
  }
}
