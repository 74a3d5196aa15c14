/// Decides which files an app should request next, and which requests it should cancel. A pure function of what
/// is on the screen: no clock, no network.
///
/// Files of visible places come first, in the order of their distance to where the user reads: the places that
/// appeared last before those that appeared earlier, and of places that appeared together, such as a first
/// screen, the upper before the lower. Files of upcoming places follow in their order. Files that are loaded
/// or in flight are not requested again.
public struct Prefetch: Sendable, Hashable {
  /// A file that a place needs.
  public struct Request: Sendable, Hashable {
    /// What is fetched (``CatalogVariant/reference``): a path relative to the catalog, or a URL.
    public var path: String
    /// The file's size. For a file that an image service makes, which is not known before: an estimate.
    public var bytes: Int

    /// The request for a file by its path or URL.
    public init(path: String, bytes: Int) {
      self.path = path
      self.bytes = bytes
    }

    var cost: Double { Double(max(0, bytes)) }

    /// The request for a variant in its first format. What is not known of its size is estimated: a
    /// quarter of a byte for each pixel.
    public init(_ variant: CatalogVariant) {
      let pixels = max(0, Double(variant.width)) * max(0, Double(variant.height))
      let estimate = Int(min(1e12, (pixels / 4).rounded(.down)))
      self.init(path: variant.reference, bytes: variant.bytes ?? estimate)
    }
  }

  /// The maximum number of requests in flight.
  public var requests: Int
  /// The maximum number of bytes in flight for places that are not visible yet. Files of visible places
  /// do not count.
  public var bytes: Int

  /// - Parameters:
  ///   - requests: the maximum in flight. The default of 6 is what browsers use per host over HTTP/1.1.
  ///   - bytes: the maximum in flight for places that are not visible; 2 MB by default.
  public init(requests: Int = 6, bytes: Int = 2_000_000) {
    self.requests = requests
    self.bytes = bytes
  }

  /// What to do now.
  public struct Step: Sendable, Hashable {
    /// Files to request, the most urgent first.
    public var start: [Request]
    /// Requests to cancel: no place needs their files any more, or a visible place has to wait for one.
    public var cancel: [Request]
  }

  /// What to request and what to cancel now.
  ///
  /// - Parameters:
  ///   - visible: the files of places on the screen. Those that appeared together are a group, from top to bottom;
  ///     groups are in the order in which they appeared.
  ///   - upcoming: the files of places that may appear next, the nearest first.
  ///   - underWay: the files in flight.
  ///   - isLoaded: whether the file with this path has loaded.
  public func step(
    visible: [[Request]], upcoming: [Request], underWay: [Request],
    isLoaded: (_ path: String) -> Bool
  ) -> Step {
    let urgent = visible.reversed().joined()
    let urgentPaths = Set(urgent.map(\.path))
    var cancel = underWay.filter { request in
      !urgentPaths.contains(request.path) && !upcoming.contains { $0.path == request.path }
    }
    var flying = Set(underWay.map(\.path)).subtracting(cancel.map(\.path))
    var waiting = Self.missing(urgent, flying, isLoaded)
    // A visible place does not wait for a file of one that is not: the farthest of these gives way.
    var needed = waiting.count + flying.count - requests
    for request in upcoming.reversed() where needed > 0 && !urgentPaths.contains(request.path) {
      guard flying.remove(request.path) != nil else { continue }
      cancel.append(request)
      needed -= 1
    }
    waiting = Array(waiting.prefix(max(0, requests - flying.count)))
    // The budget is for places that are not visible, so files of visible places use none of it. It is
    // a Double because sizes come from a catalog, and sums of arbitrary Ints could overflow.
    var budget = Double(bytes)
    for request in underWay
    where flying.contains(request.path) && !urgentPaths.contains(request.path) {
      budget -= request.cost
    }
    var start = waiting
    let cancelled = Set(cancel.map(\.path))
    for request in Self.missing(upcoming, flying.union(urgentPaths), isLoaded)
    where start.count + flying.count < requests && !cancelled.contains(request.path) {
      // A file that exceeds the rest of the budget waits, and so do those after it: otherwise smaller
      // files could overtake it indefinitely. A file larger than the whole budget is requested alone.
      guard request.cost <= budget || budget == Double(bytes) else { break }
      start.append(request)
      budget -= request.cost
    }
    return Step(start: start, cancel: cancel)
  }

  /// Files that are neither loaded nor known, each once.
  private static func missing(
    _ requests: some Sequence<Request>, _ known: Set<String>, _ isLoaded: (String) -> Bool
  ) -> [Request] {
    var known = known
    return requests.filter { !isLoaded($0.path) && known.insert($0.path).inserted }
  }
}
