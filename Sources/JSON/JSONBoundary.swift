/// Finds the end of a JSON value whose bytes arrive in parts.
///
/// Counts brackets and quotes only. What it finds still has to be read: it may not be valid JSON.
/// Remembers how far it has looked, so a value that arrives in a thousand parts is examined once.
package struct JSONBoundary: Sendable {
  /// The start of the value that is being examined; -1 between values.
  private var start = -1
  private var place = 0
  private var depth = 0
  /// Whether anything but white space has been found.
  private var hasBegun = false
  private var isInString = false
  private var isEscaped = false

  package init() {}

  /// Notes that the caller has removed bytes from the front of the buffer.
  package mutating func removedFirst(_ count: Int) {
    start -= count
    place -= count
  }

  /// The end of the value that begins at or behind an offset; nil if more bytes are needed.
  package mutating func end(of start: Int, in buffer: [UInt8]) -> Int? {
    if self.start != start {
      self = JSONBoundary()
      (self.start, place) = (start, start)
    }
    while place < buffer.count {
      let byte = buffer[place]
      if let end = isInString ? endOfString(byte) : endOfValue(byte) {
        self = JSONBoundary()
        return end
      }
      place += 1
    }
    return nil
  }

  private mutating func endOfString(_ byte: UInt8) -> Int? {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      if depth == 0 { return place + 1 }
    }
    return nil
  }

  private mutating func endOfValue(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      // At depth 0 the bracket belongs to whatever encloses the value.
      if depth <= 1 { return depth == 1 ? place + 1 : place }
      depth -= 1
    // A number or a word ends before these.
    case UInt8(ascii: ","), UInt8(ascii: ":"):
      if depth == 0 { return place }
    case 0x20, 0x0A, 0x0D, 0x09:
      return depth == 0 && hasBegun ? place : nil
    default: break
    }
    hasBegun = true
    return nil
  }
}
