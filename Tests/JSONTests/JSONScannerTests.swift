import TesseraTestSupport
import Testing

@testable import TesseraJSON

@Suite struct JSONScannerTests {
  private typealias Failure = JSONScanner.Failure

  /// What a scanner reads, or where and why it fails.
  private static func reading<Value>(
    _ text: String, _ body: (inout JSONScanner) throws -> Value
  ) -> String {
    var scanner = JSONScanner(Array(text.utf8))
    do {
      return "\(try body(&scanner)) to \(scanner.offset)"
    } catch let failure as Failure {
      return "\(failure.offset) \(failure.member): \(failure.message)"
    } catch {
      return "\(error)"
    }
  }

  private static func number(_ text: String) -> String { reading(text) { try $0.number() } }
  private static func int(_ text: String) -> String { reading(text) { try $0.int() } }
  private static func string(_ text: String) -> String { reading(text) { try $0.string() } }

  /// The grammar of RFC 8259, section 6.
  @Test func numbers() {
    for text in ["0", "-0", "10", "0.0", "-1.25", "1e5", "1E+05", "1e-5", "120.50e10"] {
      #expect(Self.number("\n\(text)]") == "\(text) to \(text.count + 1)")
    }
    #expect(Self.number("01") == "0 to 1" && Self.number("1.5.") == "1.5 to 3")
    for (text, expected) in [
      ("", "0 : expected a digit, found the end of the text"),
      ("-", "1 : expected a digit, found the end of the text"),
      ("+1", "0 : expected a digit, found \"+\""), ("-.5", "1 : expected a digit, found \".\""),
      ("1. ", "2 : expected a digit after \".\", found the byte 0x20"),
      ("1.e", "2 : expected a digit after \".\", found \"e\""),
      ("1e", "2 : expected a digit in the exponent, found the end of the text"),
      ("1e+-2", "3 : expected a digit in the exponent, found \"-\""),
      ("1E\u{7F}", "2 : expected a digit in the exponent, found the byte 0x7f"),
      ("1E~", "2 : expected a digit in the exponent, found \"~\""),
      ("1E!", "2 : expected a digit in the exponent, found \"!\""),
    ] { #expect(Self.number(text) == expected) }
  }

  @Test func wholeNumbers() {
    for text in ["0", "10", "-17", "9223372036854775807", "-9223372036854775807"] {
      #expect(Self.int(" \(text),") == "\(text) to \(text.count + 1)")
    }
    for (text, found) in [
      ("1.5", "1.5"), ("1e3", "1e3"), ("1E3", "1E3"), ("007", "007"), ("-07", "-07"), ("-", "-"),
      ("\"a b\"", "\"a"), ("true]", "true"), ("[1]", "["), ("{}", "{"), (",", ","),
      ("", "the end of the text"),
      ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrst"), ("x:y", "x"),
    ] { #expect(Self.int(" \(text)") == "1 : expected a whole number, found \(found)") }
    for text in ["9223372036854775808", "9223372036854775810", "92233720368547758070"] {
      #expect(
        Self.int("  \(text)") == "2 : expected a whole number that fits, found \(text.prefix(20))")
    }
  }

  @Test func words() {
    #expect(Self.reading(" true") { try $0.bool() } == "true to 5")
    #expect(Self.reading(" false") { try $0.bool() } == "false to 6")
    for text in ["tru", "fals", "null", "True", "1", ""] {
      #expect(
        Self.reading(" \(text)") { try $0.bool() }
          == "1 : expected true or false, found \(text.isEmpty ? "the end of the text" : text)")
    }
    #expect(Self.reading(" null,") { $0.null() } == "true to 5")
    for text in ["nul", "nulx", "true"] {
      #expect(Self.reading(" \(text)") { $0.null() } == "false to 1")
    }
    // Only up to the end of the part that is read.
    var part = JSONScanner(Array("null".utf8), 0..<3)
    #expect(!part.null() && part.offset == 0)
    var whole = JSONScanner(Array("[null]".utf8), 1..<5)
    let (isNull, isAtEnd) = (whole.null(), whole.isAtEnd())
    #expect(isNull && isAtEnd && whole.offset == 5)
  }

  @Test(arguments: [
    (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""a\u0041b""#, "aAb"), (#""\u00e9\u00C9""#, "éÉ"), (#""\ud800\udc00""#, "\u{10000}"),
    (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\uD83D\uDE00x""#, "😀x"), (#""ä\n€""#, "ä\n€"),
    (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"), (#""\u0000""#, "\0"),
  ])
  func strings(_ text: String, _ expected: String) {
    #expect(Self.string(" \(text) ") == "\(expected) to \(text.utf8.count + 1)")
  }

  @Test(arguments: [
    ("a", "1 : expected a string, found a"), ("\"a", "1 : the string has no closing quote"),
    ("\"\\na", "1 : the string has no closing quote"),
    ("\"\\", "3 : the text ends inside an escape"),
    ("\"\\a\"", "3 : unknown escape \"a\""), ("\"\\U0041\"", "3 : unknown escape \"U\""),
    ("\"\u{1F}\"", "2 : a control character in a string must be escaped, found the byte 0x1f"),
    ("\"\\n\u{1F}\"", "4 : a control character in a string must be escaped, found the byte 0x1f"),
    ("\"\\u004", "7 : expected four hexadecimal digits, found the end of the text"),
    ("\"\\u004g\"", "7 : expected four hexadecimal digits, found \"g\""),
    ("\"\\ud800\"", "8 : a surrogate without its other half"),
    ("\"\\ud800\\n\"", "9 : a surrogate without its other half"),
    ("\"\\ud800\\ud800\"", "14 : a surrogate without its other half"),
    ("\"\\ud800\\u0041\"", "14 : a surrogate without its other half"),
    ("\"\\ud800\\ue000\"", "14 : a surrogate without its other half"),
    ("\"\\udc00\\udc00\"", "8 : a surrogate without its other half"),
    ("\"\\udfff\"", "8 : a surrogate without its other half"),
  ])
  func stringsThatAreNone(_ text: String, _ expected: String) {
    #expect(Self.string(" \(text)") == expected)
  }

  /// Each wrong byte of UTF-8 is noticed, with and without an escape before it.
  @Test(
    arguments: [
      [0x80], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC0, 0x80],
      [0xED, 0xA0, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
  func stringsAreUTF8(_ bytes: [UInt8]) {
    for before in ["", "\\n", "ä"] {
      let text = [0x22] + Array(before.utf8) + bytes + [0x22]
      let failure = #expect(throws: Failure.self) {
        var scanner = JSONScanner(text)
        _ = try scanner.string()
      }
      #expect(failure?.message == "the string is not valid UTF-8" && failure?.offset == 0)
    }
  }

  /// Every way to read a value has the same depth, 64 levels.
  @Test func depthsHaveALimit() {
    func text(_ depth: Int, _ isObject: Bool) -> [UInt8] {
      let (open, close) = isObject ? ("{\"a\":", "}") : ("[", "]")
      return Array(
        (String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)).utf8)
    }
    for isObject in [false, true] {
      func accepts(_ body: @escaping (inout JSONScanner) throws -> Void) -> (Int) -> Bool {
        { depth in
          var scanner = JSONScanner(text(depth, isObject))
          do { try body(&scanner) } catch { return false }
          return scanner.isAtEnd()
        }
      }
      // The number is a level of its own.
      expectMost(63, accepts { try $0.skip() })
      expectMost(63, accepts { _ = try $0.compact() })
      expectMost(63) { (try? JSONParser.parse(text($0, isObject))) != nil }
      expectMost(63) { (try? JSONParser.parse(text($0, isObject), keepingText: "a")) != nil }
      expectMost(63) { (try? JSONParser.parse(text($0, isObject), keepingText: "b")) != nil }
    }
    #expect(JSONParser.maximumDepth == 64)
  }

  @Test func failuresNameTheirPlace() {
    func skip(_ text: String) -> String { Self.reading(text) { try $0.skip() } }
    #expect(skip(#"{"a":[1,{"b":{"c":x}}]}"#) == #"18 a[1].b.c: expected a value, found "x""#)
    #expect(skip(#"[[0],[1,2,-]]"#) == #"11 [1][2]: expected a digit, found "]""#)
    #expect(skip(#"{"a":1,"b":2,"a":3}"#) == #"13 a: duplicate member "a""#)
    #expect(skip(#"{"a" 1}"#) == #"5 : expected ":" after a member's name, found "1""#)
    #expect(skip(#"{"a":1,}"#) == #"7 : expected a member's name in quotes, found "}""#)
    #expect(skip(#"{"a":1;"b":2}"#) == #"6 : expected "," or "}", found ";""#)
    #expect(skip(#"{,"a":1}"#) == #"1 : expected a member's name in quotes, found ",""#)
    #expect(skip("[1,]") == #"3 [1]: expected a value, found "]""#)
    #expect(skip("[,1]") == #"1 [0]: expected a value, found ",""#)
    #expect(skip("[1;2]") == #"2 : expected "," or "]", found ";""#)
    for text in ["tru", "fal", "nul", "t", "True"] {
      #expect(skip(text) == "0 : expected a value, found \"\(text.prefix(1))\"")
    }
    #expect(Self.reading("5") { try $0.array { _ in } } == "0 : expected an array, found 5")
    #expect(
      Self.reading(" \"x\"") { try $0.object { _, _ in } } == "1 : expected an object, found \"x\"")
    for text in [" {} ", "[ ]", " [ 1 , 2 ] ", "{ \"a\" : 1 , \"b\" : [ ] }", "null", "\"x\""] {
      let read = Self.reading(text) { scanner in
        try scanner.skip()
        return scanner.isAtEnd()
      }
      #expect(read == "true to \(text.count)")
    }
  }

  /// More names than are compared one by one.
  @Test func duplicateNamesAreNoticed() {
    for count in [1, 2, 15, 16, 17, 18, 40] {
      let names = (0..<count).map { "\"n\($0)\":0" }
      for place in [0, count / 2, count - 1] {
        let text = "{\((names + [names[place]]).joined(separator: ","))}"
        let failure = #expect(throws: JSONError.self) { try JSONParser.parse(Array(text.utf8)) }
        #expect(failure?.message == "duplicate member \"n\(place)\"")
      }
      #expect(throws: Never.self) {
        try JSONParser.parse(Array("{\(names.joined(separator: ","))}".utf8))
      }
    }
    // Two spellings of one text.
    #expect(throws: JSONError.self) {
      try JSONParser.parse(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
    }
  }
}
