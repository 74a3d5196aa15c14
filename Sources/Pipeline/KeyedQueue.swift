internal import Synchronization

/// Lets one task at a time work on a key, in the order in which places were taken: two items with one URL are one
/// request, two with the same bytes one decode.
///
/// Nothing is kept of a key that nobody waits for.
final class KeyedQueue: Sendable {
  /// A place in the queue of a key. Whoever takes one must ``work(_:_:)`` with it.
  struct Place: Sendable {
    fileprivate(set) var key: String
    fileprivate var number: Int
  }

  private struct Line {
    /// The places that are taken, the first one's being the turn.
    var places: [Int] = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private struct State {
    var lines: [String: Line] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Whether somebody works on a key, or waits for that.
  func hasPlaces(_ key: String) -> Bool { state.withLock { $0.lines[key] != nil } }

  /// Whether somebody waits for a key behind the one who works on it.
  func isAwaited(_ key: String) -> Bool { state.withLock { $0.lines[key]?.places.count ?? 0 > 1 } }

  /// Takes the next place for a key.
  func place(_ key: String) -> Place {
    state.withLock { state in
      state.next += 1
      state.lines[key, default: Line()].places.append(state.next)
      return Place(key: key, number: state.next)
    }
  }

  /// Runs `body` when it is the place's turn.
  func work<Value: Sendable>(
    _ place: Place, _ body: () async throws -> Value
  ) async throws -> Value {
    await turn(place)
    defer { leave(place) }
    return try await body()
  }

  private func turn(_ place: Place) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.lines[place.key]?.places.first == place.number { return true }
        state.lines[place.key]?.waiting[place.number] = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  private func leave(_ place: Place) {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard var line = state.lines[place.key] else { return nil }
      line.places.removeAll { $0 == place.number }
      guard let first = line.places.first else {
        state.lines[place.key] = nil
        return nil
      }
      let next = line.waiting.removeValue(forKey: first)
      state.lines[place.key] = line
      return next
    }
    next?.resume()
  }
}
