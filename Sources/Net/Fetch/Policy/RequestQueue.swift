/// Requests that wait to start, by host. The next one is the one with the lowest turn among the
/// hosts that may get another request, whatever the order of arrival. Requests that continue what
/// an earlier one began go before all others.
struct RequestQueue<Element> {
  private struct Entry {
    var turn: Int
    var identifier: Int
    var element: Element
  }

  /// The entries of one host in the order of their turns. Those before `start`, and those that were
  /// removed from the middle, are nil.
  private struct Line {
    var entries: [Entry?] = []
    var start = 0

    var isEmpty: Bool { entries.isEmpty }
    var first: Entry? { entries.isEmpty ? nil : entries[start] }

    mutating func insert(_ entry: Entry) {
      // From the back: entries arrive nearly in order, so this is a step or two.
      var place = entries.count
      while place > start, entries[place - 1].map({ $0.turn > entry.turn }) ?? true {
        place -= 1
      }
      entries.insert(entry, at: place)
    }

    mutating func removeFirst() {
      entries[start] = nil
      start += 1
      trim()
    }

    mutating func remove(_ identifier: Int) -> Entry? {
      guard let index = entries.firstIndex(where: { $0?.identifier == identifier }) else {
        return nil
      }
      defer {
        entries[index] = nil
        trim()
      }
      return entries[index]
    }

    /// Restores two invariants: the first and the last are entries, and `start` is at most half of
    /// the array, so that removing the first is O(1) on average.
    private mutating func trim() {
      while start < entries.count, entries[start] == nil { start += 1 }
      while let last = entries.last, last == nil { entries.removeLast() }
      if start * 2 > entries.count || start >= entries.count {
        entries.removeFirst(min(start, entries.count))
        start = 0
      }
    }
  }

  private var continued: [String: Line] = [:]
  private var fresh: [String: Line] = [:]
  private var nextTurn = 0
  private(set) var count = 0

  init() {}

  var isEmpty: Bool { count == 0 }

  func hasEntries(_ host: String) -> Bool { continued[host] != nil || fresh[host] != nil }

  /// The hosts that have entries.
  var hosts: Set<String> { Set(continued.keys).union(fresh.keys) }

  /// - Parameters:
  ///   - turn: nil is behind all present entries.
  ///   - isContinued: whether it continues what an earlier request began.
  mutating func add(
    _ element: Element, identifier: Int, host: String, turn: Int? = nil, isContinued: Bool
  ) {
    let turn = turn ?? nextTurn
    nextTurn = max(nextTurn, turn) + 1
    count += 1
    let entry = Entry(turn: turn, identifier: identifier, element: element)
    if isContinued {
      continued[host, default: Line()].insert(entry)
    } else {
      fresh[host, default: Line()].insert(entry)
    }
  }

  /// Removes and returns the next element whose host may get a request.
  ///
  /// - Parameters:
  ///   - onlyContinued: whether requests that begin something new have to wait.
  ///   - isProbed: whether a host is to be tried with something new, if there is any: what begins again has failed there.
  mutating func takeNext(
    onlyContinued: Bool = false, where mayStart: (_ host: String) -> Bool,
    isProbed: (_ host: String) -> Bool = { _ in false }
  ) -> Element? {
    let fresh = onlyContinued ? [:] : self.fresh
    let element =
      Self.take(from: &continued) { mayStart($0) && !(fresh[$0] != nil && isProbed($0)) }
      ?? (onlyContinued ? nil : Self.take(from: &self.fresh, mayStart))
    if element != nil { count -= 1 }
    return element
  }

  private static func take(
    from lines: inout [String: Line], _ mayStart: (String) -> Bool
  ) -> Element? {
    var best: (host: String, entry: Entry)?
    for (host, line) in lines {
      // `mayStart` is the dearest question, so it comes last.
      guard let entry = line.first, entry.turn < best?.entry.turn ?? .max, mayStart(host) else {
        continue
      }
      best = (host, entry)
    }
    guard let best else { return nil }
    lines[best.host]?.removeFirst()
    // Every search visits all lines, so an empty one must not stay.
    if lines[best.host]?.isEmpty == true { lines[best.host] = nil }
    return best.entry.element
  }

  /// Removes and returns one element, wherever it is.
  mutating func remove(_ identifier: Int) -> Element? {
    for lines in [\Self.continued, \Self.fresh] {
      for host in Array(self[keyPath: lines].keys) {
        guard let entry = self[keyPath: lines][host]?.remove(identifier) else { continue }
        if self[keyPath: lines][host]?.isEmpty == true { self[keyPath: lines][host] = nil }
        count -= 1
        return entry.element
      }
    }
    return nil
  }

  /// Removes and returns all elements.
  mutating func takeAll() -> [Element] { hosts.flatMap { takeAll(of: $0) } }

  /// Removes and returns all elements of a host.
  mutating func takeAll(of host: String) -> [Element] {
    let entries = [continued.removeValue(forKey: host), fresh.removeValue(forKey: host)]
      .compactMap(\.self).flatMap(\.entries).compactMap(\.self)
    count -= entries.count
    return entries.map(\.element)
  }

  /// The elements that continue what an earlier request began, with their identifiers.
  var allContinued: [(identifier: Int, element: Element)] {
    continued.values.flatMap(\.entries).compactMap(\.self).map { ($0.identifier, $0.element) }
  }
}

/// Detects a stalled transfer: fewer than `minimumSpeed` bytes a second over a window of ten
/// seconds. A value; the caller passes `now`.
///
/// libcurl's CURLOPT_LOW_SPEED_LIMIT would also count the time before the first byte, which has its
/// own limit here.
struct StallWatch {
  static let window = Duration.seconds(10)

  private let minimum: Int
  private var start: ContinuousClock.Instant
  private var bytes = 0

  init(minimumSpeed: Int, now: ContinuousClock.Instant) {
    minimum = minimumSpeed * Int(Self.window.components.seconds)
    start = now
  }

  mutating func received(_ count: Int) { bytes += count }

  /// Whether a window has ended and was too slow. Begins the next window.
  mutating func isStalled(now: ContinuousClock.Instant) -> Bool {
    guard start.duration(to: now) >= Self.window else { return false }
    defer {
      start = now
      bytes = 0
    }
    return bytes < minimum
  }
}
