/// Decides which files an app should request next. A pure function of what is on the screen: no
/// clock, no network.
///
/// Files of visible places come first, in the reverse of the order in which the places became visible
/// (last in, first out): a user who scrolls looks at what has just appeared. Files of upcoming places
/// follow in their order (first in, first out). Files that are loaded or in flight are not requested
/// again.
public struct Prefetch: Sendable, Equatable {
  /// A file that a place needs.
  public struct Request: Sendable, Equatable, Hashable {
    /// Relative to the catalog.
    public var path: String
    public var bytes: Int

    public init(path: String, bytes: Int) {
      self.path = path
      self.bytes = bytes
    }

    var cost: Double { Double(max(0, bytes)) }

    public init(_ variant: CatalogVariant) {
      self.init(path: variant.path, bytes: variant.bytes)
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

  /// The files to request now, the most urgent first.
  ///
  /// - Parameters:
  ///   - visible: the files of places on the screen, in the order in which they became visible.
  ///   - upcoming: the files of places that may appear next, the nearest first.
  ///   - underWay: the files in flight.
  ///   - isLoaded: whether the file with this path has loaded.
  public func next(
    visible: [Request], upcoming: [Request], underWay: [Request],
    isLoaded: (_ path: String) -> Bool
  ) -> [Request] {
    var known = Set(underWay.map(\.path))
    var places = requests - known.count
    let urgent = Set(visible.map(\.path))
    // The budget is for places that are not visible, so files of visible places use none of it. It is
    // a Double because sizes come from a catalog, and sums of arbitrary Ints could overflow.
    var budget = Double(bytes)
    for request in underWay where !urgent.contains(request.path) { budget -= request.cost }
    var chosen: [Request] = []
    for request in visible.reversed() where places > 0 {
      guard !isLoaded(request.path), known.insert(request.path).inserted else { continue }
      chosen.append(request)
      places -= 1
    }
    for request in upcoming where places > 0 {
      guard !isLoaded(request.path), !known.contains(request.path) else { continue }
      // A file that exceeds the rest of the budget waits, and so do those after it: otherwise smaller
      // files could overtake it indefinitely. A file larger than the whole budget is requested alone.
      guard request.cost <= budget || budget == Double(bytes) else { break }
      known.insert(request.path)
      chosen.append(request)
      budget -= request.cost
      places -= 1
    }
    return chosen
  }
}
