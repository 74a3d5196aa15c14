/// The circuit breaker and the back-off of one host that fails. A pure value; the caller passes
/// `now` and the random number.
///
/// A host that limits the rate or drops each connection (see ``BusyAnswers``) opens it at once; so does the third connection
/// in a row that fails. While it is open, requests to the host wait. After the pause it is
/// half-open: one probe request at a time is sent. A success closes it, and another failure opens
/// it for twice as long. If a host fails for a minute, or for longer than an item may take, its requests fail at once
/// while it is open, unless it has named a later moment.
struct CircuitBreaker {
  /// What a request showed about its host.
  enum Signal: Equatable {
    case success
    /// The source, and perhaps its host, requests fewer requests.
    case rateLimited(FetchError)
    /// No connection.
    case unreachable(FetchError)
    /// The connection ended without a response to what was sent: perhaps because of the source.
    case dropped(FetchError)

    /// The error, and how many in a row open the breaker: fewer failed connections may be chance.
    fileprivate var failure: (error: FetchError, failuresToOpen: Int)? {
      switch self {
      case .success: nil
      case .rateLimited(let error), .dropped(let error): (error, 1)
      case .unreachable(let error): (error, 3)
      }
    }
  }

  enum State: Equatable {
    /// Requests may be sent.
    case closed
    /// Requests wait. With an error, they fail with it instead: the host has failed for too long.
    case open(failing: FetchError?)
    /// One request may be sent if no other one to the host is in flight.
    case halfOpen
  }

  static let firstPause = Duration.seconds(1)
  static let longestPause = Duration.seconds(30)
  /// After this time all that is left for a host is a probe now and then: a host that is down for a minute is not worth
  /// the requests of all its images.
  static let longestFailure = Duration.seconds(60)

  private let patience: Duration
  /// The last failure.
  private(set) var error: FetchError
  /// Requests that were sent after a pause, before one succeeded.
  var probes = 0
  private var failures = 0
  private var openings = 0
  private let firstFailure: ContinuousClock.Instant
  private var lastFailure: ContinuousClock.Instant
  private var openUntil: ContinuousClock.Instant
  /// The end of the pauses that the host has requested.
  private var requestedUntil: ContinuousClock.Instant

  /// - Parameter patience: how long one item may take at most.
  init(patience: Duration, error: FetchError, now: ContinuousClock.Instant) {
    self.patience = patience
    self.error = error
    firstFailure = now
    lastFailure = now
    openUntil = now
    requestedUntil = now
  }

  /// Records what a request showed. A success changes nothing here: see ``isClosed(bySuccessOf:)``.
  ///
  /// - Parameter chance: a random number from 0 to 1: jitter, so that many clients do not return at
  ///   the same time.
  mutating func record(_ signal: Signal, now: ContinuousClock.Instant, chance: Double) {
    guard let failure = signal.failure else { return }
    error = failure.error
    lastFailure = now
    // No item can wait for longer than the patience, so a longer Retry-After is about its source
    // alone: it fails, and the host is probed after the usual pause.
    let pause = self.error.retryAfter.flatMap { $0 <= patience ? $0 : nil } ?? .zero
    let requested = now.advanced(by: pause)
    requestedUntil = max(requestedUntil, requested)
    // Requests that were in flight together count as one failure: so none counts while it is open.
    if now >= openUntil {
      failures += 1
      // Once it has been open, each probe that fails opens it again, whatever is wrong.
      if openings > 0 || failures >= failure.failuresToOpen {
        // The exponent is limited so that the shift cannot overflow.
        let pause = min(Self.longestPause, Self.firstPause * (1 << min(openings, 16)))
        openings += 1
        // At least half of the pause: with full jitter the host could get its next request at once.
        openUntil = now.advanced(by: pause * (0.5 + chance / 2))
      }
    }
    // Never earlier than before: another response may have requested a longer pause.
    openUntil = max(openUntil, requested)
  }

  /// Whether the success of a request that started then closes the breaker. A request that was in
  /// flight before the last failure proves nothing.
  func isClosed(bySuccessOf started: ContinuousClock.Instant) -> Bool { started >= lastFailure }

  /// How long requests still wait; nil if they may be sent.
  func pause(now: ContinuousClock.Instant) -> Duration? {
    now < openUntil ? now.duration(to: openUntil) : nil
  }

  /// Whether the last failure is so long ago that it says nothing any more.
  func isExpired(now: ContinuousClock.Instant) -> Bool {
    openUntil.duration(to: now) > Self.longestPause * 2
  }

  func state(now: ContinuousClock.Instant) -> State {
    guard now >= openUntil else {
      let time = firstFailure.duration(to: now)
      let isGivenUp = time > patience || (time > Self.longestFailure && now >= requestedUntil)
      return .open(failing: isGivenUp ? error : nil)
    }
    // It has been open, and no request has succeeded since: a success would have removed it.
    return openUntil > firstFailure ? .halfOpen : .closed
  }
}

extension CircuitBreaker.Signal {
  /// Nil if the result says nothing about the host.
  init?(_ result: Result<FetchResponse, FetchError>, wasSent: Bool, wasAnswered: Bool = false) {
    switch result {
    case .success: self = .success
    case .failure(let error):
      switch error.code {
      case .httpStatus where HTTPStatus.isBusy(error.status): self = .rateLimited(error)
      case .dns, .network, .timeout, .tls:
        guard error.isRetryable else { return nil }
        if !wasSent {
          self = .unreachable(error)
        } else if error.code == .network {
          self = wasAnswered ? .success : .dropped(error)
        } else {
          // Only this source may be slow.
          return nil
        }
      // These errors arose on this side, without the host.
      case .cancelled, .local, .badURL, .addressRejected, .runDeadline, .outOfMemory, .notFound,
        .notReadable, .symlink:
        return nil
      // The response was wrong in some way, but the host responded.
      default: self = .success
      }
    }
  }
}
