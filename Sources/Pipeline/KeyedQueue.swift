internal import Synchronization

/// Lets one task at a time work on a key, in the order in which places were taken, and hands what it
/// found to the next: two items with one URL are one request, two with the same bytes one decode.
///
/// Nothing is kept of a key that nobody waits for.
final class KeyedQueue<Finding: Sendable>: Sendable {
  /// A place in the queue of a key. Whoever takes one must ``work(_:_:)`` with it.
  struct Place: Sendable {
    fileprivate var key: String
    fileprivate var number: Int
  }

  private struct Line {
    /// The places that are taken, the first one's being the turn.
    var places: [Int] = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var finding: Finding?
  }

  private struct State {
    var lines: [String: Line] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Takes the next place for a key.
  func place(_ key: String) -> Place {
    state.withLock { state in
      state.next += 1
      state.lines[key, default: Line()].places.append(state.next)
      return Place(key: key, number: state.next)
    }
  }

  /// Runs `body` when it is the place's turn. It is given what the one before it has found, if that
  /// one was still in the queue, and gives its own result and finding.
  func work<Value: Sendable>(
    _ place: Place, _ body: (Finding?) async throws -> (Value, Finding?)
  ) async throws -> Value {
    await turn(place)
    do {
      let (value, finding) = try await body(state.withLock { $0.lines[place.key]?.finding })
      leave(place, finding)
      return value
    } catch {
      leave(place, nil)
      throw error
    }
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

  private func leave(_ place: Place, _ finding: Finding?) {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard var line = state.lines[place.key] else { return nil }
      line.places.removeAll { $0 == place.number }
      line.finding = finding
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
