internal import Synchronization

/// Has a limited number of each host's items worked on, and keeps the others in their order. They wait as what they are: a
/// task for each would take many times the memory.
///
/// A host takes memory only while it has items.
final class HostLines: Sendable {
  /// An item that was admitted, with its place in the queue of its source and what was known of it when it was read.
  final class Entry: Sendable {
    let item: Item
    let lookup: LineReuse.Lookup?
    let place: KeyedQueue.Place

    init(_ item: Item, _ lookup: LineReuse.Lookup?, _ place: KeyedQueue.Place) {
      (self.item, self.lookup, self.place) = (item, lookup, place)
    }
  }

  private struct Line {
    var working = 0
    var waiting: [Entry] = []
  }

  private let limit: Int
  private let lines = Mutex<[String: Line]>([:])

  /// - Parameter limit: items of one host that are worked on at a time.
  init(limit: Int) { self.limit = limit }

  /// Whether the item is to be worked on at once. If not, ``next(after:)`` returns it later.
  func enter(_ entry: Entry) -> Bool {
    lines.withLock { lines in
      let isFull = lines[entry.item.host]?.working ?? 0 >= limit
      if isFull {
        lines[entry.item.host]?.waiting.append(entry)
      } else {
        lines[entry.item.host, default: Line()].working += 1
      }
      return !isFull
    }
  }

  /// The item of the same host that is to be worked on in the place of one that has ended; nil if none waits.
  func next(after entry: Entry) -> Entry? {
    lines.withLock { lines in
      let host = entry.item.host
      guard lines[host]?.waiting.isEmpty == true else { return lines[host]?.waiting.removeFirst() }
      lines[host]?.working -= 1
      if lines[host]?.working == 0 { lines[host] = nil }
      return nil
    }
  }
}
