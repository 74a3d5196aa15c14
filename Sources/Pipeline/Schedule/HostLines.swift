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
    var tasks = 0
    var waiting: [Entry] = []
  }

  private let limit: Int
  private let lines = Mutex<[String: Line]>([:])

  /// - Parameter limit: tasks that work on items of one host.
  init(limit: Int) { self.limit = limit }

  /// Adds an item. Returns whether another task is to work on those of its host.
  func add(_ entry: Entry) -> Bool {
    lines.withLock { lines in
      let tasks = lines[entry.item.host]?.tasks ?? 0
      lines[entry.item.host, default: Line()].waiting.append(entry)
      if tasks < limit { lines[entry.item.host]?.tasks += 1 }
      return tasks < limit
    }
  }

  /// The next item of a host; nil if its task has nothing more to do.
  func next(of host: String) -> Entry? {
    lines.withLock { lines in
      guard lines[host]?.waiting.isEmpty == true else { return lines[host]?.waiting.removeFirst() }
      lines[host]?.tasks -= 1
      if lines[host]?.tasks == 0 { lines[host] = nil }
      return nil
    }
  }
}
