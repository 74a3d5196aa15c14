/// Collects the bytes of one file, from wherever they come, until they tell its header.
///
/// Random access: what ``reading`` asks for may lie far ahead. Bytes are kept as they are given; nothing
/// is allocated by what the file claims.
package struct HeaderReader: Sendable {
  /// The file's length, where it is known.
  package var fileSize: Int?
  private var prefix: [UInt8] = []
  private var further: [(offset: Int, bytes: [UInt8])] = []

  package init(fileSize: Int? = nil) { self.fileSize = fileSize }

  /// Bytes that are known.
  package var count: Int { prefix.count + further.reduce(0) { $0 + $1.bytes.count } }

  /// Adds bytes that stand at a place in the file.
  package mutating func add(_ bytes: [UInt8], at offset: Int) {
    if offset <= prefix.count {
      prefix.append(contentsOf: bytes.dropFirst(prefix.count - offset))
    } else {
      further.append((offset, bytes))
    }
    // Pieces that the prefix has reached become part of it.
    while let index = further.firstIndex(where: { $0.offset <= prefix.count }) {
      let piece = further.remove(at: index)
      prefix.append(contentsOf: piece.bytes.dropFirst(prefix.count - piece.offset))
    }
  }

  /// What the bytes so far say.
  package var reading: HeaderReading {
    var buffer = prefix
    var pieces: [HeaderView.Piece] = []
    for piece in further {
      pieces.append(.init(file: piece.offset, buffer: buffer.count, count: piece.bytes.count))
      buffer.append(contentsOf: piece.bytes)
    }
    let view = HeaderView(buffer.span, prefix: prefix.count, pieces: pieces, fileSize: fileSize)
    return ImageHeader.read(view)
  }
}
