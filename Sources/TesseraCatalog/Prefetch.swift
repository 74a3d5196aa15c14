/// Which files an app should ask for next, as a pure function of what is on the screen: no clock, no network.
///
/// What is visible goes first, the place that became visible last before the others (last in, first out): whoever
/// scrolls looks at what has just come, not at what has passed. What is to come follows in its order (first in, first
/// out). What is there already, or asked for already, is not asked for again.
public struct Prefetch: Sendable, Equatable {
  /// A file that somebody needs.
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

  /// The most requests that may be under way.
  public var requests: Int
  /// The most bytes that may be under way for places that are not visible yet. What is visible is asked for all the
  /// same.
  public var bytes: Int

  /// - Parameters:
  ///   - requests: under way at a time; 6 by default, as browsers have it for one host.
  ///   - bytes: under way for what is not visible; 2 MB by default.
  public init(requests: Int = 6, bytes: Int = 2_000_000) {
    self.requests = requests
    self.bytes = bytes
  }

  /// The files to ask for now, the most urgent first.
  ///
  /// - Parameters:
  ///   - visible: the files of places on the screen, in the order in which they became visible.
  ///   - upcoming: those of places that may be next, the nearest first.
  ///   - underWay: what has been asked for and has not come.
  ///   - isLoaded: whether a file is there, by its path.
  public func next(
    visible: [Request], upcoming: [Request], underWay: [Request],
    isLoaded: (_ path: String) -> Bool
  ) -> [Request] {
    var known = Set(underWay.map(\.path))
    var places = requests - known.count
    let urgent = Set(visible.map(\.path))
    // A file that is visible uses nothing of the budget for what is not.
    // Sizes come from a document: no number in it may overflow.
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
      // One that is too large waits, and with it those behind it: smaller ones would overtake it for ever. One that
      // is larger than the whole budget goes alone.
      guard request.cost <= budget || budget == Double(bytes) else { break }
      known.insert(request.path)
      chosen.append(request)
      budget -= request.cost
      places -= 1
    }
    return chosen
  }
}
