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
