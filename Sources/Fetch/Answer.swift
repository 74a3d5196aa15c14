internal import TesseraSystem

/// What has come so far of the answer to one hop of a transfer, and how long it has been waited for.
struct Answer {
  /// The range that was asked for, if one was.
  let range: Range<Int>?
  private(set) var headers = ResponseHeaders()
  /// What the body holds; nil until the headers of a good answer are there.
  private(set) var extent: BodyExtent?
  private var stall: StallWatch?
  /// Since when the server's first byte is waited for.
  private var waitingSince: ContinuousClock.Instant?

  init(range: Range<Int>?) { self.range = range }

  /// Whether there is a body that was asked for.
  var isGood: Bool {
    switch headers.status {
    case 200, 203: true
    case 206: range != nil
    default: false
    }
  }

  var isRedirect: Bool { Redirect.statuses.contains(headers.status) }

  var validators: Validators? {
    Validators(etag: headers["etag"], lastModified: headers["last-modified"])
  }

  // MARK: What comes

  mutating func requestIsSent(now: ContinuousClock.Instant) { waitingSince = now }

  enum Step {
    case goOn
    /// These were the headers of a good answer: its body follows.
    case body(BodyExtent)
    /// Nothing further is needed: what a redirect's body says is for people.
    case redirect
  }

  /// Takes a line of the headers.
  mutating func take(
    _ line: String, minimumSpeed: Int, now: ContinuousClock.Instant
  ) throws(FetchError) -> Step {
    waitingSince = nil
    // Behind a body come trailers, which say nothing that is asked for here.
    guard extent == nil else { return .goOn }
    guard headers.take(line) else {
      throw FetchError(
        .badResponse, "the answer's headers are larger than \(ResponseHeaders.maximumSize) bytes")
    }
    guard line.utf8.count <= 2, headers.status >= 200 else { return .goOn }
    // The end of the headers: from here on the body has to come at a speed.
    stall = StallWatch(minimumSpeed: minimumSpeed, now: now)
    if isGood {
      let extent = try headers.extent(wanted: range)
      self.extent = extent
      return .body(extent)
    }
    return isRedirect && headers["location"] != nil && headers["content-length"] != "0"
      ? .redirect : .goOn
  }

  mutating func received(_ count: Int) { stall?.received(count) }

  // MARK: What is wrong with it

  /// An error where the answer was waited for, or drips, for too long.
  mutating func overdue(_ settings: FetchSettings, now: ContinuousClock.Instant) -> FetchError? {
    if let waitingSince, waitingSince.duration(to: now) > settings.timeout {
      return FetchError(
        .timeout, "the server sent no answer within \(settings.timeout.sentence)",
        isRetryable: true)
    }
    if stall?.isStalled(now: now) == true {
      return FetchError(
        .timeout,
        "the transfer stalled: fewer than \(settings.minimumSpeed) bytes a second over "
          + StallWatch.window.sentence, isRetryable: true)
    }
    return nil
  }

  /// What a status means that is not good.
  var statusError: FetchError {
    let status = headers.status
    let isRetryable = [408, 425, 429, 500, 502, 503, 504].contains(status)
    // 407 is a proxy's.
    let who = status == 407 ? "the proxy that the environment names" : "the server"
    let phrase = HTTPStatus.phrase(status).map { " \($0)" } ?? ""
    return FetchError(
      .httpStatus, "\(who) answered \(status)\(phrase)", isRetryable: isRetryable,
      status: status, retryAfter: Freshness.retryAfter(headers, now: Int(Host.now)))
  }
}
