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

  /// - Parameter pieces: of the line: its parts between its values.
  /// - Returns: nil if lines of the shape are not JSON.
  init?(_ shape: [UInt8], _ parts: [Range<Int>]) {
    var line: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if index > 0 { line += Self.sample(index - 1) }
      line += shape[part]
    }
    var (bytes, scanner) = ([UInt8](), JSONScanner(line))
    guard (try? scanner.canonical(to: &bytes)) != nil, scanner.isAtEnd() else { return nil }
    var found: [(place: Int, value: Int)] = []
    for value in 0..<parts.count - 1 {
      let places = Self.places(of: Self.sample(value), in: bytes)
      guard places.count == 1 else { return nil }
      found.append((places[0], value))
    }
    var pieces: [(bytes: Range<Int>, value: Int?)] = []
    var start = 0
    for (place, value) in found.sorted(by: { $0.place < $1.place }) {
      pieces.append((start..<place, value))
      start = place + Self.sample(value).count
    }
    self.bytes = bytes
    self.pieces = pieces + [(start..<bytes.count, nil)]
    areQuoted = Self.areQuoted(shape, parts)
  }

  /// A number that nothing else in a line is.
  private static func sample(_ value: Int) -> [UInt8] { Array("\(907_000_000_000 + value)".utf8) }

  private static func places(of sample: [UInt8], in bytes: [UInt8]) -> [Int] {
    bytes.indices.filter { bytes[$0] == sample[0] && bytes[$0...].starts(with: sample) }
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
      let value = values[index]
      let isString = areQuoted[index] || line[value.range].first == UInt8(ascii: "\"")
      if value.isWholeNumber || isString && value.isPlain {
        form += line[value.range]
      } else {
        guard let text = Self.canonical(value.range, of: line, isQuoted: areQuoted[index])
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
