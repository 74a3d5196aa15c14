/// Cuts a stream of bytes into records: lines that end in LF, CRLF or a lone CR, and with a
/// `separator` (CSV, RFC 4180) also fields in quotes across lines.
///
/// Memory is bounded by `maximumLength`: a longer record is reported by its line and skipped to its
/// end.
package struct RecordSplitter {
  /// 1 MiB. A line holds an id, a URL and some data, not a book.
  package static let maximumLength = 1 << 20

  package enum Record: Sendable, Equatable {
    case bytes([UInt8], line: Int)
    case tooLong(line: Int)
  }

  /// Set where fields in quotes may span lines: what parts the fields.
  var separator: UInt8?

  private var pending: [UInt8] = []
  private var isTooLong = false
  private var isInQuotes = false
  /// Whether the present field began with a quote: only then its quotes count.
  private var isQuotedField = false
  private var isAtFieldStart = true
  private var lastWasCarriageReturn = false
  /// The line that the next byte is on, and that the pending record began on.
  private var line = 1
  private var startLine = 1

  package init() {}

  /// Takes bytes up to the end of the next record. Returns the record, or nil where `bytes` was
  /// used up without one.
  package mutating func next(in bytes: inout ArraySlice<UInt8>) -> Record? {
    while let first = bytes.first {
      if first == UInt8(ascii: "\n"), lastWasCarriageReturn {
        // The second half of a CRLF, whose first half has ended the line already.
        lastWasCarriageReturn = false
        bytes.removeFirst()
        continue
      }
      lastWasCarriageReturn = false
      let length = lengthOfLine(in: bytes.span)
      take(bytes.prefix(length))
      bytes = bytes.dropFirst(length)
      guard let end = bytes.popFirst() else { return nil }
      lastWasCarriageReturn = end == UInt8(ascii: "\r")
      line += 1
      if !isInQuotes { return close() }
      take([UInt8(ascii: "\n")])
    }
    return nil
  }

  /// How many bytes there are before the next line's end, or in all. Keeps track of quotes.
  private mutating func lengthOfLine(in bytes: Span<UInt8>) -> Int {
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return index }
      if let separator { followQuotes(byte, separator) }
    }
    return bytes.count
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>) {
    guard !isTooLong else { return }
    pending += bytes
    if pending.count > Self.maximumLength {
      isTooLong = true
      pending = []
    }
  }

  private mutating func followQuotes(_ byte: UInt8, _ separator: UInt8) {
    if byte == UInt8(ascii: "\"") {
      if isAtFieldStart { isQuotedField = true }
      if isQuotedField { isInQuotes.toggle() }
    }
    isAtFieldStart = byte == separator && !isInQuotes
    if isAtFieldStart { isQuotedField = false }
  }

  /// The last record, where the file does not end in a line's end.
  package mutating func finish() -> Record? {
    guard isTooLong || !pending.isEmpty else { return nil }
    return close()
  }

  private mutating func close() -> Record {
    defer {
      pending = []
      isTooLong = false
      isInQuotes = false
      isQuotedField = false
      isAtFieldStart = true
      startLine = line
    }
    return isTooLong ? .tooLong(line: startLine) : .bytes(pending, line: startLine)
  }
}
