internal import TesseraText

/// Decides which files an app should request next, and which requests it should cancel. A pure function of what
/// is on the screen: no clock, no network.
///
/// Files of visible places come first: those of the places that appeared last before those that appeared earlier, and of places
/// that appeared together, such as a first screen, the upper before the lower. Files of upcoming places follow in their order,
/// beside them. A file that is loaded or in flight is not requested again, and one that failed waits a little longer each time.
public struct Prefetch: Sendable, Hashable {
  /// The maximum number of files in flight for visible places.
  public var requests: Int
  /// The maximum number of files in flight for upcoming places, beside these.
  public var upcoming: Int

  /// - Parameters:
  ///   - requests: for visible places. The default of 6 is what browsers use per host over HTTP/1.1.
  ///   - upcoming: for upcoming places, beside these.
  public init(requests: Int = 6, upcoming: Int = 3) {
    self.requests = requests
    self.upcoming = upcoming
  }

  /// A request for a file.
  public struct Request: Sendable, Hashable {
    /// What is requested.
    public var file: ImageFile
    /// Whether it is for a visible place, or for an upcoming one.
    public var isVisible: Bool

    /// A request by its members.
    public init(_ file: ImageFile, isVisible: Bool) {
      self.file = file
      self.isVisible = isVisible
    }
  }

  /// The failures of a file since it loaded last.
  public struct Failure: Sendable, Hashable {
    /// How many there were, one after the other.
    public var count: Int
    /// When the last one was, in seconds; nil if the file need not wait.
    public var time: Double?

    /// Failures by their members.
    public init(count: Int, time: Double?) {
      self.count = count
      self.time = time
    }

    /// How many seconds until the file may start again: 1, 2, 4 … and at most 60 after the last failure.
    func wait(_ now: Double) -> Double {
      guard let time, count > 0 else { return 0 }
      let most = count > 6 ? 60 : Double(1 << (count - 1))
      // A clock that was set back does not make it longer.
      return max(0, min(most, time + most - now))
    }
  }

  /// What to do now.
  public struct Step: Sendable, Hashable {
    /// Files to request, the most urgent first.
    public var start: [Request] = []
    /// Requests to cancel: no place needs their files any more.
    public var cancel: [ImageFile] = []
    /// Requests in flight for places that became visible, or that left the screen and may come back.
    public var priorities: [Request] = []
    /// How many seconds until a file that failed may start again; nil if none waits.
    public var wait: Double?
  }

  /// What to request and what to cancel now. To be called again whenever places appear or leave, when a request ends, and after
  /// ``Step/wait``.
  ///
  /// - Parameters:
  ///   - visible: the files of places on the screen. Those that appeared together are a group, from top to bottom;
  ///     groups are in the order in which they appeared.
  ///   - upcoming: the files of places that may appear next, the nearest first.
  ///   - inFlight: the requests in flight.
  ///   - now: in seconds, by the clock of the failures.
  ///   - failure: of the file with this ``ImageFile/reference``; nil if it has not failed.
  ///   - isLoaded: whether the file with this ``ImageFile/reference`` has loaded.
  public func step(
    visible: [[ImageFile]], upcoming: [ImageFile], inFlight: [Request], now: Double = 0,
    failure: (_ reference: String) -> Failure? = { _ in nil },
    isLoaded: (_ reference: String) -> Bool
  ) -> Step {
    let urgent = Array(visible.reversed().joined())
    let urgentReferences = Set<Identifier>(of: urgent.map(\.reference))
    let needed = urgentReferences.union(Set<Identifier>(of: upcoming.map(\.reference)))
    var step = Step()
    var known: Set<Identifier> = []
    // Of visible places, and of upcoming ones.
    var free = (visible: requests, upcoming: self.upcoming)
    for request in inFlight {
      guard needed.contains(request.file.reference) else {
        step.cancel.append(request.file)
        continue
      }
      _ = known.insert(request.file.reference)
      let isVisible = urgentReferences.contains(request.file.reference)
      if isVisible { free.visible -= 1 } else { free.upcoming -= 1 }
      if isVisible != request.isVisible {
        step.priorities.append(Request(request.file, isVisible: isVisible))
      }
    }
    for file in urgent + upcoming where known.insert(file.reference) && !isLoaded(file.reference) {
      let isVisible = urgentReferences.contains(file.reference)
      if let wait = failure(file.reference)?.wait(now), wait > 0 {
        step.wait = min(step.wait ?? .infinity, wait)
      } else if (isVisible ? free.visible : free.upcoming) > 0 {
        if isVisible { free.visible -= 1 } else { free.upcoming -= 1 }
        step.start.append(Request(file, isVisible: isVisible))
      }
    }
    return step
  }
}
