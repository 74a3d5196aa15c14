/// What a line of the catalog has in common with those of other images: the line with a mark in place of each value that is an
/// image's own.
///
/// Names of members, words of the format, flags and the order of files are left, so nothing of an image that is forgotten
/// stays in it. A mark is a control character: JSON has none of them (RFC 8259, section 7).
final class LineShape {
  enum Mark: UInt8 {
    case number = 1
    /// A string without its quotes, or a whole value that may be anything.
    case text
  }

  /// That of lines that are kept whole.
  static let whole = [Mark.text.rawValue]

  let bytes: [UInt8]
  /// The mark that follows some bytes; none at the end.
  private let pieces: [(bytes: Range<Int>, mark: Mark?)]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var pieces: [(bytes: Range<Int>, mark: Mark?)] = []
    var start = 0
    for (place, byte) in bytes.enumerated() {
      guard let mark = Mark(rawValue: byte) else { continue }
      pieces.append((start..<place, mark))
      start = place + 1
    }
    self.pieces = pieces + [(start..<bytes.count, nil)]
  }

  /// The line with some values; nil if they are not those of a line of this shape.
  ///
  /// - Parameter id: the item's.
  func line(_ values: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>) -> String? {
    var reader = LineValueReader(values, id: id)
    reader.line.reserveCapacity(bytes.count + values.count * 2)
    let isRead = bytes.withUnsafeBufferPointer { shape in
      pieces.allSatisfy { piece in
        reader.line += UnsafeBufferPointer(rebasing: shape[piece.bytes])
        return switch piece.mark {
        case .number: reader.readNumber()
        case .text: reader.readText()
        case nil: reader.isAtEnd
        }
      }
    }
    return isRead ? String(validating: reader.line, as: UTF8.self) : nil
  }
}
