internal import TesseraJSON

/// A line of the catalog, and its canonical form (RFC 8785); nil if that has to be found from the line.
package typealias LineForms = (line: String, canonical: [UInt8]?)

/// What the canonical forms of lines of one shape have in common. It is found once, from a line whose values are easy to find
/// again: so the members of most lines are neither read nor sorted.
struct CanonicalShape {
  private let bytes: [UInt8]
  /// Parts of the bytes, each with the value that follows it, counted as in the line; none at the end.
  private let pieces: [(bytes: Range<Int>, value: Int?)]
  /// Whether each value is within quotes.
  private let areQuoted: [Bool]

  /// - Parameter parts: those of the shape between the values.
  /// - Returns: nil if lines of the shape are not JSON.
  init?(_ shape: [UInt8], _ parts: [Range<Int>]) {
    var line: [UInt8] = []
    for (value, part) in parts.enumerated() {
      line += shape[part]
      if value < parts.count - 1 { line += "\(Self.firstSample + value)".utf8 }
    }
    var (bytes, scanner) = ([UInt8](), JSONScanner(line))
    guard (try? scanner.canonical(to: &bytes)) != nil, scanner.isAtEnd() else { return nil }
    let places = Self.samples(in: bytes, parts.count - 1)
    guard places.map(\.value).sorted() == Array(0..<parts.count - 1) else { return nil }
    var pieces: [(bytes: Range<Int>, value: Int?)] = []
    var start = 0
    for (place, value) in places {
      pieces.append((start..<place, value))
      start = place + Self.digits
    }
    self.bytes = bytes
    self.pieces = pieces + [(start..<bytes.count, nil)]
    areQuoted = Self.areQuoted(shape, parts)
  }

  /// In the place of the first value; the others follow it. Nothing else in a shape is such a number.
  private static let firstSample = 907_000_000_000
  private static let digits = 12

  private static func samples(in bytes: [UInt8], _ count: Int) -> [(place: Int, value: Int)] {
    bytes.indices.compactMap { place in
      guard bytes[place] == UInt8(ascii: "9"),
        let number = Int(String(decoding: bytes[place...].prefix(digits), as: UTF8.self)),
        (firstSample..<firstSample + count).contains(number)
      else { return nil }
      return (place, number - firstSample)
    }
  }

  private static func areQuoted(_ shape: [UInt8], _ parts: [Range<Int>]) -> [Bool] {
    var isQuoted = false
    return parts.dropLast().map { part in
      var isEscaped = false
      for byte in shape[part] {
        if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      }
      return isQuoted
    }
  }

  /// The canonical form of a line; nil if a value is not JSON.
  func form(of line: [UInt8], _ values: [LineValue]) -> [UInt8]? {
    var form: [UInt8] = []
    form.reserveCapacity(line.count)
    for piece in pieces {
      form += bytes[piece.bytes]
      guard let index = piece.value else { break }
      let (value, isQuoted) = (values[index], areQuoted[index])
      if isQuoted ? value.isPlain : value.isWholeNumber {
        form += line[value.range]
      } else {
        guard let text = Self.canonical(value.range, of: line, isQuoted: isQuoted)
        else { return nil }
        form += text
      }
    }
    return form
  }

  private static func canonical(
    _ range: Range<Int>, of line: [UInt8], isQuoted: Bool
  ) -> ArraySlice<UInt8>? {
    var form: [UInt8] = []
    var scanner = JSONScanner(
      line, isQuoted ? range.lowerBound - 1..<range.upperBound + 1 : range)
    guard (try? scanner.canonical(to: &form)) != nil, scanner.isAtEnd() else { return nil }
    return isQuoted ? form.dropFirst().dropLast() : form[...]
  }
}
