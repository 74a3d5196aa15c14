internal import Synchronization

/// The turns of sources: one item at a time works on a source, and an item whose line still applies is
/// not taken as such while another item may find that its source has changed.
final class SourceTurns: Sendable {
  let queue = KeyedQueue()
  /// Sources whose items ended since the last batch of verdicts was begun; nil when no more verdicts
  /// will be made.
  private let ended = Mutex<Set<String>?>([])

  /// To be called before a batch of verdicts is made.
  func beginVerdicts() { ended.withLock { $0 = [] } }

  /// To be called when no more verdicts will be made.
  func endVerdicts() { ended.withLock { $0 = nil } }

  /// To be called when an item ends, before it leaves its turn: one of the two shows it.
  func noteEnd(_ key: String) { ended.withLock { _ = $0?.insert(key) } }

  /// Whether no item with this source is in flight, or was while the verdict was made.
  func isUndisturbed(_ key: String) -> Bool {
    !queue.hasPlaces(key) && !ended.withLock { $0?.contains(key) ?? true }
  }
}

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

/// Why a request failed.
struct SharedFailure: Sendable, Equatable {
  var failure: ItemFailure
  /// Whether an earlier run came to it, and the bytes have not changed.
  var isRemembered = false
}

/// What was found out about requests that failed, by their digests: no item of the run repeats them.
/// They are kept by the exact request and not by the source's key, because another token or signature may lead
/// to another answer.
final class SharedFailures: Sendable {
  private let recent: Mutex<RecentValues<SharedFailure>>

  /// A few megabytes.
  private static let fewest = 10_000

  /// - Parameter window: the number of items that may be in flight.
  init(window: Int) { recent = Mutex(RecentValues(atLeast: max(Self.fewest, window))) }

  subscript(request: String) -> SharedFailure? { recent.withLock { $0[request] } }

  func add(_ failure: SharedFailure, for request: String) {
    recent.withLock { $0[request] = failure }
  }
}

/// Keeps the values that were set or looked up last, in bounded memory: in two generations, of which the
/// older is dropped as a whole when the younger is full.
package struct RecentValues<Value> {
  private let limit: Int
  private var younger: [String: Value] = [:]
  private var older: [String: Value] = [:]

  /// - Parameter count: values that are kept at least; at most twice as many are.
  package init(atLeast count: Int) { limit = count }

  package subscript(key: String) -> Value? {
    mutating get {
      if let value = younger[key] { return value }
      guard let value = older[key] else { return nil }
      self[key] = value
      return value
    }
    set {
      if younger.count >= limit, younger[key] == nil { (older, younger) = (younger, [:]) }
      younger[key] = newValue
    }
  }
}
