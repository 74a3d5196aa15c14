internal import TesseraJSON

/// Splits a line of the catalog into its shape and its values.
struct LineSplitter {
  private let line: [UInt8]
  private(set) var shape: [UInt8] = []
  private(set) var values: LineValueWriter
  /// What of the line is in the shape.
  private var copied = 0

  /// Nil if the line is not JSON.
  init?(_ line: String, id: String) {
    self.line = Array(line.utf8)
    values = LineValueWriter(id: id)
    var scanner = JSONScanner(self.line)
    guard (try? split(&scanner, .other)) != nil, scanner.isAtEnd() else { return nil }
    shape += self.line[copied...]
  }

  private enum Member {
    case other
    /// Its strings are words of the format.
    case word
    /// Its numbers are the image's own, also in an array.
    case numbers
    /// It may hold anything.
    case open

    init(_ name: String) {
      switch name {
      case "status", "format", "type", "mode", "dynamicRange": self = .word
      case "bytes", "quality", "score": self = .numbers
      case "extra", "alt", "error", "focus": self = .open
      default: self = .other
      }
    }
  }

  private mutating func split(
    _ scanner: inout JSONScanner, _ member: Member, isElement: Bool = false, depth: Int = 0
  ) throws(JSONScanner.Failure) {
    scanner.skipSpace()
    let start = scanner.offset
    if member == .open {
      try scanner.skip(depth: depth)
      return replaceText(start..<scanner.offset)
    }
    switch try scanner.kind(depth: depth) {
    case .object:
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        try split(&scanner, Member(name), depth: depth + 1)
      }
    case .array:
      try scanner.array { scanner throws(JSONScanner.Failure) in
        try split(&scanner, member, isElement: true, depth: depth + 1)
      }
    case .string:
      try scanner.skipString()
      let text = start + 1..<scanner.offset - 1
      switch member {
      case .word: break
      case .open, .other, .numbers: replaceText(text)
      }
    case .number:
      try scanner.skipNumber()
      // Indices are those of most images; other numbers are an image's own.
      if !isElement || member == .numbers { replaceNumber(start..<scanner.offset) }
    case .bool, .null: break
    }
  }

  private mutating func replaceText(_ range: Range<Int>) {
    values.write(text: line[range])
    replace(range, by: .text)
  }

  private mutating func replaceNumber(_ range: Range<Int>) {
    values.write(number: line[range])
    replace(range, by: .number)
  }

  private mutating func replace(_ range: Range<Int>, by mark: LineShape.Mark) {
    shape += line[copied..<range.lowerBound]
    shape.append(mark.rawValue)
    copied = range.upperBound
  }
}
