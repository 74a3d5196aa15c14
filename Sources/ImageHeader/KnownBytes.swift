/// The bytes of a file that have arrived: those from its beginning, and pieces after them.
struct KnownBytes: Sendable {
  /// The bytes from the file's beginning, without a gap.
  private(set) var prefix: [UInt8] = []
  /// Pieces after the prefix: in order, and none touches another.
  private var pieces: [(offset: Int, bytes: [UInt8])] = []

  var count: Int { prefix.count + pieces.reduce(0) { $0 + $1.bytes.count } }

  /// Adds bytes at an offset in the file. Bytes that are known already are kept as they are.
  mutating func insert(_ bytes: [UInt8], at offset: Int) {
    if offset <= prefix.count {
      extendPrefix(with: bytes, at: offset)
    } else {
      insertPiece(bytes, at: offset)
    }
  }

  private mutating func extendPrefix(with bytes: [UInt8], at offset: Int) {
    let known = prefix.count - offset
    if known < bytes.count { prefix.append(contentsOf: bytes.dropFirst(known)) }
    while let piece = pieces.first, piece.offset <= prefix.count {
      pieces.removeFirst()
      prefix.append(contentsOf: piece.bytes.dropFirst(prefix.count - piece.offset))
    }
  }

  private mutating func insertPiece(_ bytes: [UInt8], at offset: Int) {
    // Join the new piece with the one that reaches it, then with all that it reaches.
    var new = (offset: offset, bytes: bytes)
    var index = pieces.firstIndex { $0.offset > offset } ?? pieces.count
    if index > 0, pieces[index - 1].offset + pieces[index - 1].bytes.count >= offset {
      index -= 1
      let before = pieces.remove(at: index)
      let known = before.offset + before.bytes.count - offset
      new = (before.offset, before.bytes + bytes.dropFirst(known))
    }
    while index < pieces.count, pieces[index].offset <= new.offset + new.bytes.count {
      let next = pieces.remove(at: index)
      new.bytes.append(contentsOf: next.bytes.dropFirst(new.offset + new.bytes.count - next.offset))
    }
    pieces.insert(new, at: index)
  }

  /// Whether all bytes of a range are known, in the prefix or in one piece.
  func contains(_ range: Range<Int>) -> Bool {
    prefix.count >= range.upperBound
      || pieces.contains { piece in
        piece.offset <= range.lowerBound && piece.offset + piece.bytes.count >= range.upperBound
      }
  }

  /// All known bytes in one buffer, and where in the file those after the prefix belong.
  func joined() -> (buffer: [UInt8], pieces: [HeaderView.Piece]) {
    var buffer = prefix
    var places: [HeaderView.Piece] = []
    for piece in pieces {
      places.append(.init(file: piece.offset, buffer: buffer.count, count: piece.bytes.count))
      buffer.append(contentsOf: piece.bytes)
    }
    return (buffer, places)
  }
}
