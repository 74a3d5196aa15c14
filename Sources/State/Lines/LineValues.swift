internal import TesseraText

/// How a text among the values of a line is stored. Its first number is the count of the bytes that follow, times eight, and
/// one of these.
enum LineText: UInt8 {
  case plain
  /// It is the item's id.
  case id
  case https, http
  /// Digits of a digest, two in a byte.
  case hexadecimal
  /// The same after a "#".
  case colour
  case base64

  /// What it begins with.
  private var start: StaticString {
    switch self {
    case .https: "https://"
    case .http: "http://"
    case .colour: "#"
    default: ""
    }
  }

  /// The first that stores a text in the fewest bytes, and these.
  static func shortest(_ text: ArraySlice<UInt8>, id: [UInt8]) -> (LineText, [UInt8]) {
    if text.elementsEqual(id) { return (.id, []) }
    for kind in [LineText.https, .http, .colour, .hexadecimal, .base64] {
      if let bytes = kind.packed(text) { return (kind, bytes) }
    }
    return (.plain, Array(text))
  }

  /// Nil if it does not store such a text.
  private func packed(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard start.withUTF8Buffer({ text.starts(with: $0) }) else { return nil }
    let rest = text.dropFirst(start.utf8CodeUnitCount)
    switch self {
    case .https, .http: return Array(rest)
    case .colour: return rest.count == 6 ? PackedKey.pack(rest) : nil
    // Shorter ones may be any words.
    case .hexadecimal: return rest.count >= 16 ? PackedKey.pack(rest) : nil
    case .base64:
      guard rest.count >= 16, let bytes = Base64.decode(rest) else { return nil }
      // The last digit may have bits that mean nothing.
      return Base64.encode(bytes).utf8.elementsEqual(rest) ? bytes : nil
    case .plain, .id: return nil
    }
  }

  /// Appends the text of which these are the bytes.
  func append(
    _ bytes: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>, to line: inout [UInt8]
  ) {
    start.withUTF8Buffer { line += $0 }
    switch self {
    case .plain, .https, .http: line += bytes
    case .id: line += id
    case .hexadecimal, .colour: PackedKey.append(bytes, to: &line)
    case .base64: Base64.append(Array(bytes), to: &line)
    }
  }
}

/// The values of a line, in their order, as they are stored.
struct LineValueWriter {
  private(set) var bytes: [UInt8] = []
  private let id: [UInt8]

  init(id: String) { self.id = Array(id.utf8) }

  mutating func write(text: ArraySlice<UInt8>) {
    let (kind, stored) = LineText.shortest(text, id: id)
    write(stored.count << 3 | Int(kind.rawValue))
    bytes += stored
  }

  /// A whole number is stored as itself and one; any other after a zero, as a text.
  mutating func write(number: ArraySlice<UInt8>) {
    let text = String(decoding: number, as: UTF8.self)
    if number.count <= 15, let value = Int(text), value >= 0, String(value) == text {
      write(value + 1)
    } else {
      write(0)
      write(text: number)
    }
  }

  /// Seven bits a byte, the lowest first; the last byte has no eighth (LEB128).
  private mutating func write(_ number: Int) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Puts values back into a line. The methods return whether they were there.
struct LineValueReader {
  var line: [UInt8] = []
  private var rest: Slice<UnsafeBufferPointer<UInt8>>
  private let id: UnsafeBufferPointer<UInt8>

  init(_ values: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>) {
    (rest, self.id) = (values[...], id)
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func readText() -> Bool {
    guard let head = number(), let kind = LineText(rawValue: UInt8(head & 7)),
      let stored = take(head >> 3)
    else { return false }
    kind.append(stored, id: id, to: &line)
    return true
  }

  mutating func readNumber() -> Bool {
    guard let number = number() else { return false }
    if number == 0 { return readText() }
    line += String(number - 1).utf8
    return true
  }

  private mutating func take(_ count: Int) -> UnsafeBufferPointer<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return UnsafeBufferPointer(rebasing: rest.prefix(count))
  }

  private mutating func number() -> Int? {
    var number = 0
    // Eight of them are more than any number has that is written.
    for shift in stride(from: 0, to: 56, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      number |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}
