/// The next image of each shard, of which the one with the smallest line number is the first: a binary
/// heap.
struct LineHeap {
  struct Entry {
    var line: Int
    var image: ArraySlice<UInt8>
    /// SHA-256 of its files.
    var sha256: [String]
    var shard: Int
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }

  mutating func add(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0, entries[child].line < entries[(child - 1) / 2].line {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// The first entry's shard has its next image.
  mutating func replaceFirst(_ entry: Entry) {
    entries[0] = entry
    sink()
  }

  mutating func removeFirst() {
    entries[0] = entries[entries.count - 1]
    entries.removeLast()
    sink()
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var smallest = parent
      for child in parent * 2 + 1...parent * 2 + 2
      where child < entries.count && entries[child].line < entries[smallest].line {
        smallest = child
      }
      if smallest == parent { return }
      entries.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
