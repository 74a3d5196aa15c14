import TesseraBytes
import TesseraTestSupport
import Testing

@testable import TesseraState

/// Chunks as they are stored, and as they move with the bytes of a catalog.
@Suite struct ChunkTests {
  private let folder: TemporaryFolder
  private let state: StateStore
  private var path: String { folder.path("state") }

  init() throws {
    folder = try TemporaryFolder()
    state = try StateStore(path: folder.path("state"))
  }

  // MARK: Records

  @Test func allOfAChunkIsStored() async throws {
    var chunk = Chunk(Chunk.Key(of: "a"), count: 3, line: 7)
    (chunk.offset, chunk.length, chunk.sum) = (1 << 40, 4, CRC32.of([1, 2, 3, 4]))
    (chunk.freshUntil, chunk.places, chunk.files) = (1e9 + 0.25, 11, 12)
    chunk.mayStand = true
    var other = Chunk(Chunk.Key(of: "b"), count: 1, line: 10)
    (other.freshUntil, other.hasStood) = (.infinity, true)
    try await state.save([chunk, other])
    try await state.commit()
    for state in [state, try StateStore(path: path)] {
      let index = try await state.chunkIndex()
      #expect(index.chunks == [chunk, other])
      #expect([chunk, other].map { index.place(of: $0.key.number) } == [0, 1])
      // By all of its key.
      #expect(index.chunk(with: chunk.key)?.place == 0)
      #expect(index.chunk(with: other.key)?.place == 1)
      #expect(index.chunk(with: Chunk.Key(chunk.key.number, 0)) == nil)
      #expect(index.chunk(of: other.key.number) == other)
      #expect(index.chunk(of: 5) == nil)
    }
    #expect(chunk.isOf([1, 2, 3, 4]))
    #expect(!chunk.isOf([1, 2, 3, 5]) && !chunk.isOf([1, 2, 3]))
    try await state.save([other])
    #expect(try await state.chunkIndex().chunks == [other])
  }

  /// A bit that the disk has changed costs its own record.
  @Test func manyChunksAreInSeveralRows() async throws {
    var numbers = SplitMix(seed: 1)
    let chunks = (0..<2_500).map { number in
      var chunk = Chunk(Chunk.Key(of: "\(number)"), count: 1 + number % 64, line: number)
      (chunk.offset, chunk.length) = (number * 100, 100)
      (chunk.sum, chunk.mayStand) = (
        .random(in: 0 ... .max, using: &numbers), .random(using: &numbers)
      )
      return chunk
    }
    try await state.save(chunks)
    try await state.commit()
    #expect(try await state.chunkIndex().chunks == chunks)
    let database = try Database(path)
    var rows: [[UInt8]] = []
    try database.prepare("SELECT records FROM chunks ORDER BY part").run {
      rows.append(Array($0.bytes(0)))
    }
    #expect(rows.map(\.count) == [1_000, 1_000, 500].map { $0 * Chunk.width })
    func found(_ changed: [UInt8]) async throws -> [Chunk] {
      try database.prepare("UPDATE chunks SET records = ? WHERE part = 1").run([.blob(changed)])
      return try await state.chunkIndex().chunks
    }
    for bit in stride(from: 0, to: Chunk.width * 8, by: 37) {
      var (row, rest) = (rows[1], chunks)
      row[3 * Chunk.width + bit / 8] ^= 1 << UInt8(bit % 8)
      rest.remove(at: 1_003)
      #expect(try await found(row) == rest, "bit \(bit)")
    }
    #expect(try await found(rows[1].dropLast(9)) == Array(chunks[..<1_999] + chunks[2_000...]))
    #expect(try await found([]) == Array(chunks[..<1_000] + chunks[2_000...]))
  }

  // MARK: Changes of the catalog

  /// Three chunks of ten bytes behind a head of ten; nil for each that is gone.
  @Test(
    arguments: [
      ([], [10, 20, 30]),
      ([(0..<10, 15)], [15, 25, 35]),
      ([(22..<25, 3)], [10, nil, 30]),
      ([(22..<25, 5)], [10, nil, 32]),
      ([(20..<25, 0)], [10, nil, 25]),
      ([(25..<30, 0)], [10, nil, 25]),
      ([(10..<10, 7)], [17, 27, 37]),
      ([(20..<20, 7)], [10, 27, 37]),
      ([(25..<25, 7)], [10, nil, 37]),
      ([(40..<40, 7)], [10, 20, 30]),
      ([(15..<35, 1)], [nil, nil, nil]),
      ([(20..<30, 0)], [10, nil, 20]),
      ([(0..<10, 9), (20..<20, 2), (21..<22, 4), (29..<30, 0), (40..<40, 9)], [9, nil, 33]),
    ] as [([(Range<Int>, Int)], [Int?])])
  func chunksMoveWithTheirBytes(_ edits: [(Range<Int>, Int)], _ offsets: [Int?]) async throws {
    let chunks = (1...3).map { number in
      var chunk = Chunk(Chunk.Key(of: "\(number)"), count: 1, line: number)
      (chunk.offset, chunk.length) = (number * 10, 10)
      return chunk
    }
    try await state.save(chunks)
    try await state.move(edits.map { (range: $0.0, length: $0.1) })
    let moved = try await state.chunkIndex().chunks
    #expect(chunks.map { chunk in moved.first { $0.key == chunk.key }?.offset } == offsets)
    let list = try ChunkIndex(chunks).moved(edits.map { (range: $0.0, length: $0.1) })
    #expect(try moved == list.chunks)
  }

  /// As many as are in a file without a name.
  @Test func aListHasWhatWasPutIntoIt() throws {
    let list = ChunkList()
    func chunk(_ number: Int) -> Chunk {
      Chunk(Chunk.Key(number, number * 3), count: number % 7, line: number)
    }
    for number in 0..<2_500 { try list.append(chunk(number)) }
    for (place, number) in [(0, 9_000), (999, 9_001), (1_000, 9_002), (2_499, 9_003), (0, 9_004)] {
      #expect(try list.chunk(at: place).line == (place == 0 && number > 9_000 ? 9_000 : place))
      try list.replace(place, by: chunk(number))
    }
    let expected = (0..<2_500).map { place in
      chunk([0: 9_004, 999: 9_001, 1_000: 9_002, 2_499: 9_003][place] ?? place)
    }
    #expect(try list.chunks == expected && list.count == 2_500)
    let index = try ChunkIndex(list, doubts: [9_001])
    #expect((0..<2_500).allSatisfy { index.place(of: expected[$0].key.number) == $0 })
    #expect(index.place(of: 0) == nil && index.chunk(of: 9_004) == expected[0])
  }

  /// A document's lines, and chunks of some of them: the first line is in none.
  private static func document(_ numbers: inout SplitMix) -> (lines: [[UInt8]], of: [Range<Int>]) {
    let count = Int.random(in: 1...24, using: &numbers)
    let lines = (0..<count).map { _ in line(&numbers) }
    var (ranges, first) = ([Range<Int>](), 1)
    while first < count {
      let end = min(count, first + .random(in: 1...4, using: &numbers))
      if Int.random(in: 0..<5, using: &numbers) > 0 { ranges.append(first..<end) }
      first = end
    }
    return (lines, ranges)
  }

  private static func line(_ numbers: inout SplitMix) -> [UInt8] {
    (0..<Int.random(in: 1...9, using: &numbers)).map { _ in .random(in: 0...255, using: &numbers) }
  }

  @Test func chunksMoveLikeTheirLines() throws {
    var numbers = SplitMix(seed: 3)
    var (all, kept) = (0, 0)
    for round in 0..<600 {
      let (lines, ranges) = Self.document(&numbers)
      let starts = lines.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
      let chunks = ranges.map { range in
        var chunk = Chunk(Chunk.Key(of: "\(range)"), count: range.count, line: range.lowerBound)
        chunk.offset = starts[range.lowerBound]
        chunk.length = starts[range.upperBound] - chunk.offset
        chunk.sum = CRC32.of(Array(lines[range].joined()))
        return chunk
      }
      let (other, edits) = Self.edited(lines, starts, &numbers)
      // Those whose lines the other document has one behind another.
      var expected: [Chunk] = []
      for (range, var chunk) in zip(ranges, chunks) {
        guard let place = other.firstIndex(where: { $0.number == range.lowerBound }),
          other[place...].prefix(range.count).map(\.number) == range.map(Optional.init)
        else { continue }
        chunk.offset = other[..<place].reduce(0) { $0 + $1.bytes.count }
        expected.append(chunk)
      }
      let moved = try ChunkIndex(chunks).moved(edits).chunks
      #expect(moved == expected, "round \(round)")
      let bytes = Array(other.map(\.bytes).joined())
      #expect(moved.allSatisfy { $0.isOf(Array(bytes[$0.range])) }, "round \(round)")
      (all, kept) = (all + chunks.count, kept + moved.count)
    }
    #expect(kept > 500 && all - kept > 500)
  }

  /// Lines of another document; those that are new have no number.
  private typealias Edited = (
    lines: [(number: Int?, bytes: [UInt8])], edits: [(range: Range<Int>, length: Int)]
  )

  private static func edited(
    _ lines: [[UInt8]], _ starts: [Int], _ numbers: inout SplitMix
  ) -> Edited {
    var (other, edits): Edited = ([], [])
    func edit(_ range: Range<Int>, _ bytes: [UInt8]) {
      if !bytes.isEmpty { other.append((nil, bytes)) }
      edits.append((range, bytes.count))
    }
    let rarity = Int.random(in: 4...20, using: &numbers)
    for number in 0...lines.count {
      let start = starts[number]
      let choice = Int.random(in: 0..<rarity, using: &numbers)
      if choice == 0 { edit(start..<start, line(&numbers)) }
      guard number < lines.count else { break }
      switch choice {
      case 1: edit(start..<starts[number + 1], line(&numbers))
      case 2: edit(start..<starts[number + 1], [])
      default: other.append((number, lines[number]))
      }
    }
    return (other, edits)
  }
}
