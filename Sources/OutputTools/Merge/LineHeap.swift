/// The next image of each shard, of which the one with the smallest line number is the first: a binary
/// heap.
struct LineHeap {
  struct Entry {
    var line: Int
    var image: ArraySlice<UInt8>
    var shard: Int
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }

  mutating func add(_ line: Int, _ image: ArraySlice<UInt8>, of shard: Int) {
    entries.append(Entry(line: line, image: image, shard: shard))
    var child = entries.count - 1
    while child > 0, entries[child].line < entries[(child - 1) / 2].line {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Gives the first entry's shard its next image.
  mutating func replaceFirst(_ line: Int, _ image: ArraySlice<UInt8>) {
    entries[0].line = line
    entries[0].image = image
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
