/// Splits a stream of bytes into records: lines that end in LF, CRLF or a lone CR. With a
/// `separator` (CSV, RFC 4180) quoted fields may span lines.
///
/// `maximumLength` bounds the memory: the splitter reports a longer record by its line and skips
/// it.
package struct RecordSplitter {
  /// 1 MiB. A line holds an id, a URL and a little data, or a small image as a data: URL.
  package static let maximumLength = 1 << 20

  package struct Record: Sendable, Equatable {
    /// Nil if they are more than ``RecordSplitter/maximumLength``.
    package var bytes: [UInt8]?
    /// More than one only because of a field in quotes.
    package var lines: ClosedRange<Int>
    /// The line of the quote that was open when the file ended or the record became too long.
    var openQuote: Int?
  }

  /// The byte between fields, if quoted fields may span lines; otherwise nil.
  var separator: UInt8?

  private var pending: [UInt8] = []
  private var isTooLong = false
  private var openQuote: Int?
  private var isInQuotes = false
  /// Whether the current field began with a quote. Only then do quotes in it count.
  private var isQuotedField = false
  private var quoteLine = 1
  private var isAtFieldStart = true
  private var lastWasCarriageReturn = false
  /// The line of the next byte, the line on which the pending record began, and its last line that is
  /// not empty.
  private var line = 1
  private var startLine = 1
  private var lastLineOfText = 1
  /// For a list that is a JSON array, whose elements are the records.
  private(set) var elements: ElementSplitter?

  /// The number of the last line so far that is not empty.
  var lastLine: Int { elements?.lastLine ?? lastLineOfText }

  package init() {}

  /// To be called before the first byte of a list that is a JSON array.
  mutating func splitElements() { elements = elements ?? ElementSplitter() }

  /// Consumes bytes up to the end of the next record. Returns the record, or nil if `bytes` ends
  /// first.
  package mutating func next(in bytes: inout ArraySlice<UInt8>) -> Record? {
    if elements != nil { return elements?.next(in: &bytes) }
    while let first = bytes.first {
      if first == UInt8(ascii: "\n"), lastWasCarriageReturn {
        // The second half of a CRLF. Its first half ended the line already.
        lastWasCarriageReturn = false
        bytes.removeFirst()
        continue
      }
      lastWasCarriageReturn = false
      // Not past the limit: what is noted there must not depend on how the stream was cut.
      let piece = isTooLong ? bytes : bytes.prefix(Self.maximumLength + 1 - pending.count)
      let length = lengthOfLine(in: piece.span)
      if length > 0 { lastLineOfText = line }
      take(piece.prefix(length))
      bytes = bytes.dropFirst(length)
      if length == piece.count { continue }
      let end = bytes.removeFirst()
      lastWasCarriageReturn = end == UInt8(ascii: "\r")
      line += 1
      if !isInQuotes { return close() }
      // A line end in quotes is part of the field: as LF, because CR and CRLF depend on the program
      // that wrote the file.
      take([UInt8(ascii: "\n")])
    }
    return nil
  }

  /// The number of bytes before the next line end, or of all bytes if there is none. Follows
  /// quotes.
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
    // From here to the end of the record only the line is kept.
    if pending.count > Self.maximumLength {
      isTooLong = true
      pending = []
      openQuote = isInQuotes ? quoteLine : nil
    }
  }

  private mutating func followQuotes(_ byte: UInt8, _ separator: UInt8) {
    if byte == UInt8(ascii: "\"") {
      if isAtFieldStart { (isQuotedField, quoteLine) = (true, line) }
      if isQuotedField { isInQuotes.toggle() }
    } else if !isInQuotes {
      // After text that follows a closing quote, no other quote counts: it would open a field that
      // takes in the records below.
      isQuotedField = false
    }
    isAtFieldStart = byte == separator && !isInQuotes
  }

  /// The last record, if the file does not end with a line end.
  package mutating func finish() -> Record? {
    if elements != nil { return elements?.finish() }
    guard isTooLong || !pending.isEmpty else { return nil }
    if isInQuotes { openQuote = openQuote ?? quoteLine }
    return close()
  }

  private mutating func close() -> Record {
    defer {
      pending = []
      isTooLong = false
      openQuote = nil
      isInQuotes = false
      isQuotedField = false
      isAtFieldStart = true
      startLine = line
    }
    return Record(
      bytes: isTooLong ? nil : pending, lines: startLine...max(startLine, lastLineOfText),
      openQuote: openQuote)
  }
}

/// Splits the text of a JSON array (RFC 8259, section 5) into its elements, each a record as a line of JSON Lines is one. Several
/// arrays after each other are one, as pages of an API are.
///
/// An element has the number of the line on which it begins, or, if the one before it has that number, the next one: so the elements
/// of an array on a single line are counted. An element of the first array that is not an object is the URL of an image: `"https://…"`
/// is read as `{"url": "https://…"}`. Blanks between the parts of an element are one.
struct ElementSplitter: Sendable {
  /// Whether the end of the array is still to come.
  private(set) var isOpen = false
  /// How many have begun.
  private var arrays = 0
  private var pending: [UInt8] = []
  private var isTooLong = false
  /// How many brackets of the element are open.
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The lines of the next byte and of the first one of the element, and the number of the last element.
  private var line = 1
  private var startLine = 1
  private var lastNumber = 0

  /// The highest number so far.
  var lastLine: Int { max(lastNumber, 1) }

  /// Consumes bytes up to the end of the next element. Returns it, or nil if `bytes` ends first.
  mutating func next(in bytes: inout ArraySlice<UInt8>) -> RecordSplitter.Record? {
    for index in bytes.indices {
      guard let element = take(bytes[index]) else { continue }
      bytes = bytes[(index + 1)...]
      return element
    }
    bytes = []
    return nil
  }

  /// What comes after the last element: an array that does not end has none.
  mutating func finish() -> RecordSplitter.Record? { isOpen ? nil : close() }

  private mutating func take(_ byte: UInt8) -> RecordSplitter.Record? {
    defer { if byte == UInt8(ascii: "\n") { line += 1 } }
    if isInString {
      isInString = isEscaped || byte != UInt8(ascii: "\"")
      isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      add(byte)
      return nil
    }
    switch byte {
    case UInt8(ascii: "[") where !isOpen:
      defer { (isOpen, arrays) = (true, arrays + 1) }
      return close()
    case UInt8(ascii: ",") where depth == 0: return close()
    case UInt8(ascii: "]") where depth == 0:
      isOpen = false
      return close()
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), UInt8(ascii: " "):
      // Indentation is not counted as a part of it.
      if let last = pending.last, last != UInt8(ascii: " ") { add(UInt8(ascii: " ")) }
      return nil
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
    case UInt8(ascii: "\""): isInString = true
    default: break
    }
    add(byte)
    return nil
  }

  private mutating func add(_ byte: UInt8) {
    if isTooLong { return }
    if pending.isEmpty { startLine = line }
    pending.append(byte)
    guard pending.count > RecordSplitter.maximumLength else { return }
    // Only its line is kept.
    (isTooLong, pending) = (true, [])
  }

  /// The element; nil if there is none, as in an empty array.
  private mutating func close() -> RecordSplitter.Record? {
    guard isTooLong || !pending.isEmpty else { return nil }
    defer { (pending, isTooLong, depth) = ([], false, 0) }
    lastNumber = max(startLine, lastNumber + 1)
    // As the last element has, before the end of the array.
    if pending.last == UInt8(ascii: " ") { pending.removeLast() }
    if !isTooLong, arrays == 1, pending.first != UInt8(ascii: "{") {
      pending = Array(#"{"url": "#.utf8) + pending + [UInt8(ascii: "}")]
    }
    return RecordSplitter.Record(
      bytes: isTooLong ? nil : pending, lines: lastNumber...lastNumber, openQuote: nil)
  }
}
