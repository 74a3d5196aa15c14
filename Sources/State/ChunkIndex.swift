/// The chunks of a catalog, in its order.
package struct ChunkIndex: Sendable {
  private let list: ChunkList
  /// Whether each item of the state is in one of them.
  package let isWhole: Bool
  /// Their numbers in order, and the place of each.
  private let numbers: [Int]
  private let places: [Int32]
  /// The numbers of those that may not stand; nil for all of them.
  private let doubts: Set<Int>?

  /// - Parameter doubts: the numbers of chunks that may not stand; nil for all of them.
  package init(
    _ list: ChunkList = ChunkList(), isWhole: Bool = false, doubts: Set<Int>? = []
  ) throws(StateError) {
    (self.list, self.isWhole, self.doubts) = (list, isWhole, doubts)
    var found: [(number: Int, place: Int32)] = []
    found.reserveCapacity(list.count)
    for place in 0..<list.count {
      found.append((try list.chunk(at: place).key.number, Int32(place)))
    }
    found.sort { $0.number < $1.number }
    numbers = found.map(\.number)
    places = found.map(\.place)
  }

  package var count: Int { numbers.count }

  /// One of them; nil if it can't be read.
  package func chunk(at place: Int) -> Chunk? {
    guard var chunk = try? list.chunk(at: place) else { return nil }
    if doubts?.contains(chunk.key.number) ?? true { chunk.mayStand = false }
    return chunk
  }

  /// The place of a chunk, by the number that its items have.
  package func place(of number: Int) -> Int? {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < numbers.count && numbers[low] == number ? Int(places[low]) : nil
  }

  package func chunk(of number: Int) -> Chunk? { place(of: number).flatMap(chunk(at:)) }

  /// The chunk with a key, and its place.
  package func chunk(with key: Chunk.Key) -> (place: Int, chunk: Chunk)? {
    guard let place = place(of: key.number), let chunk = chunk(at: place), chunk.key == key else {
      return nil
    }
    return (place, chunk)
  }

  /// The chunks of another document: those whose lines it has as the present one.
  ///
  /// - Parameters:
  ///   - edits: what differs, in the order of the present document: where that is in it, and how many bytes the other has in
  ///     its place.
  ///   - claims: of a run: chunks that items have left do not count.
  package func moved(
    _ edits: [(range: Range<Int>, length: Int)], _ claims: ChunkClaims? = nil
  ) throws(StateError) -> ChunkList {
    let moved = ChunkList()
    var (shift, rest) = (0, edits[...])
    for place in 0..<list.count {
      guard var chunk = chunk(at: place) else { continue }
      while let edit = rest.first, edit.range.upperBound <= chunk.offset {
        shift += edit.length - edit.range.count
        rest.removeFirst()
      }
      if let edit = rest.first, edit.range.lowerBound < chunk.range.upperBound { continue }
      if claims?.hasLeft(place) == true { continue }
      chunk.offset += shift
      try moved.append(chunk)
    }
    return moved
  }
}
