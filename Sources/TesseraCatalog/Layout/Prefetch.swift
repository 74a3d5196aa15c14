internal import TesseraText

/// Decides which files an app should request next, and which requests it should cancel. A pure function of what
/// is on the screen: no clock, no network.
///
/// Files of visible places come first, in the order of their distance to where the user reads: the places that
/// appeared last before those that appeared earlier, and of places that appeared together, such as a first
/// screen, the upper before the lower. Files of upcoming places follow in their order. Files that are loaded
/// or in flight are not requested again.
public struct Prefetch: Sendable, Hashable {
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
    public var start: [ImageFile]
    /// Requests to cancel: no place needs their files any more, or a visible place has to wait for one.
    public var cancel: [ImageFile]
  }

  /// What to request and what to cancel now.
  ///
  /// - Parameters:
  ///   - visible: the files of places on the screen. Those that appeared together are a group, from top to bottom;
  ///     groups are in the order in which they appeared.
  ///   - upcoming: the files of places that may appear next, the nearest first.
  ///   - inFlight: the files in flight.
  ///   - isLoaded: whether the file with this ``ImageFile/reference`` has loaded.
  public func step(
    visible: [[ImageFile]], upcoming: [ImageFile], inFlight: [ImageFile],
    isLoaded: (_ reference: String) -> Bool
  ) -> Step {
    let urgent = visible.reversed().joined()
    let urgentReferences = Set<Identifier>(of: urgent.map(\.reference))
    let needed = urgentReferences.union(Set<Identifier>(of: upcoming.map(\.reference)))
    var cancel = inFlight.filter { !needed.contains($0.reference) }
    var flying = Set<Identifier>(of: inFlight.map(\.reference))
      .subtracting(Set<Identifier>(of: cancel.map(\.reference)))
    var waiting = Self.missing(urgent, flying, isLoaded)
    // A visible place does not wait for a file of one that is not: the farthest of these gives way.
    var excess = waiting.count + flying.count - requests
    for file in upcoming.reversed() where excess > 0 && !urgentReferences.contains(file.reference) {
      guard flying.remove(Identifier(file.reference)) != nil else { continue }
      cancel.append(file)
      excess -= 1
    }
    waiting = Array(waiting.prefix(max(0, requests - flying.count)))
    // The budget is for places that are not visible, so files of visible places use none of it. It is
    // a Double because sizes come from a catalog, and sums of arbitrary Ints could overflow.
    var budget = Double(bytes)
    for file in inFlight
    where flying.contains(file.reference) && !urgentReferences.contains(file.reference) {
      budget -= Double(file.expectedBytes)
    }
    var start = waiting
    let cancelled = Set<Identifier>(of: cancel.map(\.reference))
    for file in Self.missing(upcoming, flying.union(urgentReferences), isLoaded)
    where start.count + flying.count < requests && !cancelled.contains(file.reference) {
      // A file that exceeds the rest of the budget waits, and so do those after it: otherwise smaller
      // files could overtake it indefinitely. A file larger than the whole budget is requested alone.
      let cost = Double(file.expectedBytes)
      guard cost <= budget || budget == Double(bytes) else { break }
      start.append(file)
      budget -= cost
    }
    return Step(start: start, cancel: cancel)
  }

  /// Files that are neither loaded nor known, each once.
  private static func missing(
    _ files: some Sequence<ImageFile>, _ known: Set<Identifier>, _ isLoaded: (String) -> Bool
  ) -> [ImageFile] {
    var known = known
    return files.filter { !isLoaded($0.reference) && known.insert($0.reference) }
  }
}
