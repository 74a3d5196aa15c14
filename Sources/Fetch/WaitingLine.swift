/// Who waits for a place on the way, host by host. The next is the one with the lowest turn among those whose host
/// may be asked, in whatever order they came; who has begun already goes before all others.
struct WaitingLine<Element> {
  private struct Entry {
    var number: Int
    var identifier: Int
    var element: Element
  }

  /// Entries in the order of their turns; those before `start` are gone.
  private struct Line {
    var entries: [Entry?] = []
    var start = 0

    var isEmpty: Bool { entries.isEmpty }
    var first: Entry? { entries.isEmpty ? nil : entries[start] }

    mutating func insert(_ entry: Entry) {
      // Tasks come nearly in order, so that is a step or two.
      var place = entries.count
      while place > start, entries[place - 1].map({ $0.number > entry.number }) ?? true {
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

    /// Both ends are entries, and at least half of what is stored.
    private mutating func trim() {
      while start < entries.count, entries[start] == nil { start += 1 }
      while let last = entries.last, last == nil { entries.removeLast() }
      if start * 2 > entries.count || start >= entries.count {
        entries.removeFirst(min(start, entries.count))
        start = 0
      }
    }
  }

  private var begun: [String: Line] = [:]
  private var fresh: [String: Line] = [:]
  private var next = 0
  private(set) var count = 0

  init() {}

  var isEmpty: Bool { count == 0 }

  func hasWaiters(_ host: String) -> Bool { begun[host] != nil || fresh[host] != nil }

  /// Hosts that somebody waits for.
  var hosts: Set<String> { Set(begun.keys).union(fresh.keys) }

  /// - Parameter turn: nil is behind all that are there.
  mutating func add(
    _ element: Element, identifier: Int, host: String, turn: Int? = nil, hasBegun: Bool
  ) {
    let number = turn ?? next
    next = max(next, number) + 1
    count += 1
    let entry = Entry(number: number, identifier: identifier, element: element)
    if hasBegun {
      begun[host, default: Line()].insert(entry)
    } else {
      fresh[host, default: Line()].insert(entry)
    }
  }

  /// Takes out the next whose host may be asked.
  ///
  /// - Parameter onlyBegun: whether those who have not begun have to wait on.
  mutating func takeNext(
    onlyBegun: Bool = false, where mayAsk: (_ host: String) -> Bool
  ) -> Element? {
    let element =
      Self.take(from: &begun, mayAsk) ?? (onlyBegun ? nil : Self.take(from: &fresh, mayAsk))
    if element != nil { count -= 1 }
    return element
  }

  private static func take(
    from lines: inout [String: Line], _ mayAsk: (String) -> Bool
  ) -> Element? {
    var best: (host: String, entry: Entry)?
    for (host, line) in lines {
      guard let entry = line.first, entry.number < best?.entry.number ?? .max, mayAsk(host) else {
        continue
      }
      best = (host, entry)
    }
    guard let best else { return nil }
    lines[best.host]?.removeFirst()
    if lines[best.host]?.isEmpty == true { lines[best.host] = nil }
    return best.entry.element
  }

  /// Takes out one, wherever it stands.
  mutating func remove(_ identifier: Int) -> Element? {
    for lines in [\Self.begun, \Self.fresh] {
      for host in Array(self[keyPath: lines].keys) {
        guard let entry = self[keyPath: lines][host]?.remove(identifier) else { continue }
        if self[keyPath: lines][host]?.isEmpty == true { self[keyPath: lines][host] = nil }
        count -= 1
        return entry.element
      }
    }
    return nil
  }

  /// Takes out all.
  mutating func takeAll() -> [Element] { hosts.flatMap { takeAll(of: $0) } }

  /// Takes out all of a host.
  mutating func takeAll(of host: String) -> [Element] {
    let entries = [begun.removeValue(forKey: host), fresh.removeValue(forKey: host)]
      .compactMap(\.self).flatMap(\.entries).compactMap(\.self)
    count -= entries.count
    return entries.map(\.element)
  }

  /// Those who have begun, with their identifiers.
  var allBegun: [(identifier: Int, element: Element)] {
    begun.values.flatMap(\.entries).compactMap(\.self).map { ($0.identifier, $0.element) }
  }
}
