import TesseraTestSupport
import Testing

@testable import TesseraManifest

/// Records of a stream of bytes: each with its bytes, its lines, and the quote that is open.
@Suite struct RecordSplitterTests {
  typealias Record = RecordSplitter.Record

  private static func records(
    _ bytes: [UInt8], separator: Character?, pieces: Int
  ) -> [Record] {
    var splitter = RecordSplitter()
    splitter.separator = separator?.asciiValue
    var found: [Record] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      var piece = rest.prefix(pieces)
      rest = rest.dropFirst(pieces)
      while let record = splitter.next(in: &piece) { found.append(record) }
      #expect(piece.isEmpty)
    }
    if let last = splitter.finish() { found.append(last) }
    #expect(splitter.finish() == nil)
    return found
  }

  private static func record(_ text: String, _ lines: ClosedRange<Int>, open: Int? = nil) -> Record
  {
    Record(bytes: Array(text.utf8), lines: lines, openQuote: open)
  }

  @Test(
    arguments: [
      ("", nil, []), ("a", nil, [record("a", 1...1)]), ("a\n", nil, [record("a", 1...1)]),
      (
        "a\nb\r\nc\rd", nil,
        [record("a", 1...1), record("b", 2...2), record("c", 3...3), record("d", 4...4)]
      ),
      ("\n\na", nil, [record("", 1...1), record("", 2...2), record("a", 3...3)]),
      ("\r\n\ra", nil, [record("", 1...1), record("", 2...2), record("a", 3...3)]),
      // The second half of a CRLF is none, but another LF is.
      ("a\r\n\nb", nil, [record("a", 1...1), record("", 2...2), record("b", 3...3)]),
      // Without a separator a quote is a character like others.
      ("\"a\nb\"", nil, [record("\"a", 1...1), record("b\"", 2...2)]),
      ("\"a\nb\",c\nd", ",", [record("\"a\nb\",c", 1...2), record("d", 3...3)]),
      ("\"a\r\nb\rc\"\n", ",", [record("\"a\nb\nc\"", 1...3)]),
      ("x,\"a\n\n\"\ny", ",", [record("x,\"a\n\n\"", 1...3), record("y", 4...4)]),
      ("x;\"a\nb\"\ny", ",", [record("x;\"a", 1...1), record("b\"", 2...2), record("y", 3...3)]),
      ("x;\"a\nb\"\ny", ";", [record("x;\"a\nb\"", 1...2), record("y", 3...3)]),
      ("x\t\"a\nb\"\n", "\t", [record("x\t\"a\nb\"", 1...2)]),
      // A quote within a field, two for one, and text after a field in quotes.
      ("a\"b\nc", ",", [record("a\"b", 1...1), record("c", 2...2)]),
      ("\"a\"\"\nb\"\nc", ",", [record("\"a\"\"\nb\"", 1...2), record("c", 3...3)]),
      ("\"a\"b\"\nc", ",", [record("\"a\"b\"", 1...1), record("c", 2...2)]),
      ("\"a\"b,\"c\nd\"\n", ",", [record("\"a\"b,\"c\nd\"", 1...2)]),
      ("\"a,\"\"\nb\"\nc", ",", [record("\"a,\"\"\nb\"", 1...2), record("c", 3...3)]),
      // A record does not take the quotes of the one before.
      ("\"a\"\n\"b\nc\"\n", ",", [record("\"a\"", 1...1), record("\"b\nc\"", 2...3)]),
      // Never closed: the lines to the last one that is not empty.
      ("a\n\"b\nc\n\n\n", ",", [record("a", 1...1), record("\"b\nc\n\n\n", 2...3, open: 2)]),
      ("\"a\nb\",\"c\n\"\"d", ",", [record("\"a\nb\",\"c\n\"\"d", 1...3, open: 2)]),
      ("\"", ",", [record("\"", 1...1, open: 1)]),
    ] as [(String, Character?, [Record])])
  func linesAreDivided(_ text: String, _ separator: Character?, _ expected: [Record]) {
    for pieces in [1, 2, 3, 1_000] {
      #expect(Self.records(Array(text.utf8), separator: separator, pieces: pieces) == expected)
    }
  }

  private static func line(_ count: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(ascii: "x"), count: count)
  }

  @Test func aRecordHasAtMostAMebibyte() {
    expectMost(1 << 20) { count in
      let found = Self.records(Self.line(count) + [0x0A], separator: nil, pieces: 1 << 30)
      #expect(found.count == 1 && found[0].lines == 1...1 && found[0].openQuote == nil)
      return found[0].bytes?.count == count
    }
    // It is skipped to its end, and the next one is whole.
    let long = Self.line(1 << 20) + Self.line(70_000)
    for end in [[0x0A], []] as [[UInt8]] {
      let found = Self.records(
        [0x61, 0x0A] + long + end + (end.isEmpty ? [] : [0x62]), separator: ",", pieces: 65_536)
      let expected =
        [Self.record("a", 1...1), Record(bytes: nil, lines: 2...2, openQuote: nil)]
        + (end.isEmpty ? [] : [Self.record("b", 3...3)])
      #expect(found == expected)
    }
  }

  /// The quote that was open when the record became too long may be the mistake, even if it is
  /// closed later.
  @Test func aFieldThatIsTooLongIsNamedByItsQuote() {
    let long = Self.line(1 << 20) + Self.line(70_000)
    let bytes = Array("a\n\"\n".utf8) + long + Array("\"\nb\n".utf8)
    #expect(
      Self.records(bytes, separator: ",", pieces: 65_536) == [
        Self.record("a", 1...1), Record(bytes: nil, lines: 2...3, openQuote: 2),
        Self.record("b", 4...4),
      ])
    // Nor does it depend on how the stream was cut.
    let inTime = Array("\"".utf8) + Self.line(1 << 20) + Array("\",c\n".utf8)
    for pieces in [65_536, 65_537, 1 << 20, 1 << 30] {
      #expect(
        Self.records(inTime, separator: ",", pieces: pieces) == [
          Record(bytes: nil, lines: 1...1, openQuote: 1)
        ])
    }
    // It stays the one that is named, if another one is open at the end.
    let another = Array("a\n\"".utf8) + long + Array("\n\",\"b".utf8)
    #expect(
      Self.records(another, separator: ",", pieces: 65_536) == [
        Self.record("a", 1...1), Record(bytes: nil, lines: 2...3, openQuote: 2),
      ])
    let unclosed = Array("\"a\",\n\"\n".utf8) + Self.line(1 << 20)
    #expect(
      Self.records(unclosed, separator: ",", pieces: 1 << 30) == [
        Self.record("\"a\",", 1...1), Record(bytes: nil, lines: 2...3, openQuote: 2),
      ])
  }
}
