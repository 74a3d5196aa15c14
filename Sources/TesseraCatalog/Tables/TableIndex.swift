/// The index of a file of pixels: for each image the hash of its id, and the part of its cell that it uses.
package enum TableIndex {
  package struct Entry: Sendable, Equatable {
    /// ``TableHash/of(_:)`` of the id: 16 bytes.
    package var hash: [UInt8]
    package var width: Int
    package var height: Int

    package init(hash: [UInt8], width: Int, height: Int) {
      (self.hash, self.width, self.height) = (hash, width, height)
    }
  }

  /// - Parameter entries: in the order of their hashes.
  package static func bytes(_ entries: [Entry]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count * TableFormat.entrySize)
    for entry in entries {
      bytes += entry.hash
      for value in [entry.width, entry.height] {
        bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      }
      bytes += [0, 0, 0, 0]
    }
    return bytes
  }

  /// Reads and checks an index: hashes ascend strictly, and used parts are inside of their cells.
  ///
  /// - Parameter bytes: those of ``TableHeader/index``.
  package static func entries(
    _ bytes: [UInt8], _ header: TableHeader
  ) throws(TableError) -> [Entry] {
    guard bytes.count == header.index.count else {
      throw TableError("the file is cut off in its index")
    }
    var entries: [Entry] = []
    entries.reserveCapacity(header.count)
    for place in stride(from: 0, to: bytes.count, by: TableFormat.entrySize) {
      let entry = Entry(
        hash: Array(bytes[place..<place + TableHash.size]), width: bytes.number(at: place + 16, 2),
        height: bytes.number(at: place + 18, 2))
      guard (1...header.width).contains(entry.width), (1...header.height).contains(entry.height),
        bytes.number(at: place + 20, 4) == 0
      else { throw TableError("an entry of the index is larger than its cell, or damaged") }
      if let last = entries.last, !last.hash.lexicographicallyPrecedes(entry.hash) {
        throw TableError("the index is not in ascending order")
      }
      entries.append(entry)
    }
    return entries
  }

  /// The place of a hash in entries that ascend; nil if it is not among them.
  package static func place(of hash: [UInt8], in entries: [Entry]) -> Int? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].hash.lexicographicallyPrecedes(hash) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < entries.count && entries[low].hash == hash ? low : nil
  }
}
