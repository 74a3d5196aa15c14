internal import Synchronization

/// Lets one task at a time work on a key, in the order in which the places were taken: two items with
/// one URL are one request, two items with the same bytes are one decode.
///
/// A key takes memory only while it has places.
final class KeyedQueue: Sendable {
  /// A place in the queue of a key. Its owner waits for its ``KeyedQueue/turn(_:)`` and then calls
  /// ``KeyedQueue/leave(_:)``.
  struct Place: Sendable {
    fileprivate(set) var key: String
    fileprivate var number: Int
  }

  private struct Line {
    /// The places that are taken. The first one has its turn.
    var places: [Int] = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    /// Removes a place. Returns what waits for the turn, if there is something.
    mutating func leave(_ place: Int) -> CheckedContinuation<Void, Never>? {
      if let index = places.firstIndex(of: place) { places.remove(at: index) }
      return places.first.flatMap { waiting.removeValue(forKey: $0) }
    }
  }

  private struct State {
    var lines: [String: Line] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Whether something works on a key or waits for it.
  func hasPlaces(_ key: String) -> Bool { state.withLock { $0.lines[key] != nil } }

  /// Whether something waits for a key behind the one that works on it.
  func isAwaited(_ key: String) -> Bool { state.withLock { $0.lines[key]?.places.count ?? 0 > 1 } }

  /// Takes the next place for a key.
  func place(_ key: String) -> Place {
    state.withLock { state in
      state.next += 1
      state.lines[key, default: Line()].places.append(state.next)
      return Place(key: key, number: state.next)
    }
  }

  /// Waits until it is the place's turn.
  func turn(_ place: Place) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.lines[place.key]?.places.first == place.number { return true }
        state.lines[place.key]?.waiting[place.number] = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  /// Gives up a place, and the turn with it.
  func leave(_ place: Place) {
    let next = state.withLock { state in
      // In its place: a copy of the line would be one of all that wait.
      let next = state.lines[place.key]?.leave(place.number)
      if state.lines[place.key]?.places.isEmpty == true { state.lines[place.key] = nil }
      return next
    }
    next?.resume()
  }
}
