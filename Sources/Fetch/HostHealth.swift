/// What is known of a host that has trouble: when it may be asked again, and whether it is worth it. A value; the
/// clock and chance are given to it.
///
/// A host that answers 429 or 503 gets a pause, which all its items observe; so does one that could not be
/// reached three times in a row. After a pause one request alone goes ahead, and the others follow when it is
/// answered. A host whose trouble lasts longer than an item may take is given up: its items fail at once, but for
/// one now and then that looks whether it is back.
struct HostHealth {
  /// What a request showed about its host.
  enum Sign: Equatable {
    case well
    /// Answered, and asked for less.
    case busy(FetchError)
    /// No connection.
    case unreachable(FetchError)
  }

  enum Permission: Equatable {
    case go
    /// If no other request of the host is on its way.
    case goAlone
    case wait
    /// No more waiting: the error is every item's.
    case givenUp(FetchError)
  }

  /// Connections that fail by chance are no trouble.
  static let chances = 3
  static let firstPause = Duration.seconds(1)
  static let longestPause = Duration.seconds(30)

  private let patience: Duration
  private var error: FetchError
  private var troubles = 0
  private let since: ContinuousClock.Instant
  private var last: ContinuousClock.Instant
  private var pausedUntil: ContinuousClock.Instant

  /// - Parameter patience: how long an item waits at most.
  init(patience: Duration, error: FetchError, now: ContinuousClock.Instant) {
    self.patience = patience
    self.error = error
    since = now
    last = now
    pausedUntil = now
  }

  /// Takes a sign of trouble.
  ///
  /// - Parameter chance: a random number from 0 to 1, so that many clients do not come back at once.
  mutating func saw(_ sign: Sign, now: ContinuousClock.Instant, chance: Double) {
    var isBusy = false
    switch sign {
    case .well: return
    case .busy(let error):
      self.error = error
      isBusy = true
    case .unreachable(let error): self.error = error
    }
    last = now
    // Who asks for a day does not get it: then a host would be gone for one bad answer.
    let asked = now.advanced(by: min(error.retryAfter ?? .zero, patience))
    // Requests that were on their way together are one trouble.
    if now >= pausedUntil {
      troubles += 1
      let step = troubles - (isBusy ? 1 : Self.chances)
      if step >= 0 {
        let pause = min(Self.longestPause, Self.firstPause * (1 << min(step, 16)))
        pausedUntil = now.advanced(by: pause * (0.5 + chance / 2))
      }
    }
    pausedUntil = max(pausedUntil, asked)
  }

  /// Whether a request that went well shows that the trouble is over: not one that was on its way before.
  func isOver(wellSince started: ContinuousClock.Instant) -> Bool { started >= last }

  /// Whether it is so long ago that it says nothing any more.
  func isForgotten(now: ContinuousClock.Instant) -> Bool {
    pausedUntil.duration(to: now) > Self.longestPause * 2
  }

  func permission(now: ContinuousClock.Instant) -> Permission {
    guard now >= pausedUntil else {
      return since.duration(to: now) > patience ? .givenUp(error) : .wait
    }
    // Nothing has been well since the pause began.
    return pausedUntil > since ? .goAlone : .go
  }
}

extension HostHealth.Sign {
  /// Nil for what says nothing about the host.
  init?(_ result: Result<FetchResponse, FetchError>, wasSent: Bool) {
    switch result {
    case .success: self = .well
    case .failure(let error):
      switch error.code {
      case .httpStatus where [429, 503].contains(error.status): self = .busy(error)
      // No connection; or nothing came back on one.
      case .dns, .network, .timeout, .tls:
        if wasSent || !error.isRetryable { return nil }
        self = .unreachable(error)
      case .cancelled, .local, .badURL, .addressRefused, .runDeadline, .notFound: return nil
      // Whatever was wrong with the answer, there was one.
      default: self = .well
      }
    }
  }
}
