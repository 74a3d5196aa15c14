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
