import Testing

@testable import TesseraJSON

/// Canonical JSON, by the examples of RFC 8785.
@Suite struct JSONCanonicalTests {
  private static func canonical(_ text: String) throws -> String {
    var scanner = JSONScanner(Array(text.utf8))
    var bytes: [UInt8] = []
    try scanner.canonical(to: &bytes)
    let isAtEnd = scanner.isAtEnd()
    #expect(isAtEnd)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appendix B.
  @Test(
    arguments: [
      (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
      (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
      (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
      (0x4340_0000_0000_0000, "9007199254740992"),
      (0xC340_0000_0000_0000, "-9007199254740992"),
      (0x4430_0000_0000_0000, "295147905179352830000"),
      (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
      (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
      (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
      (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
      (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
      (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
      (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
      (0x41B3_DE43_5555_5557, "333333333.33333343"),
      (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
      (0x4314_3FF3_C1CB_0959, "1424953923781206.2"), (0x7FF0_0000_0000_0000, "null"),
      (0xFFF0_0000_0000_0000, "null"), (0x7FFF_FFFF_FFFF_FFFF, "null"),
    ] as [(UInt64, String)])
  func numbersOfTheStandard(_ bits: UInt64, _ expected: String) {
    #expect(JSONCanonical.text(of: Double(bitPattern: bits)) == expected)
  }

  @Test(arguments: [
    (1.0, "1"), (10.0, "10"), (100.5, "100.5"), (0.1, "0.1"), (0.05, "0.05"), (1e-6, "0.000001"),
    (1.5e-7, "1.5e-7"), (1e-7, "1e-7"), (123e18, "123000000000000000000"), (1.25e22, "1.25e+22"),
    (-2.5, "-2.5"), (1e20, "100000000000000000000"), (1e100, "1e+100"), (10.25, "10.25"),
  ])
  func numbers(_ number: Double, _ expected: String) {
    #expect(JSONCanonical.text(of: number) == expected)
  }

  /// Whole numbers of 64 bits keep their digits; all others are those of a Double.
  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("7", "7"), ("-7", "-7"),
    ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775808", "9223372036854776000"),
    ("999999999999999999", "999999999999999999"), ("1000000000000000001", "1000000000000000001"),
    ("1.0", "1"), ("1.50", "1.5"), ("1e2", "100"), ("1E2", "100"), ("12E-1", "1.2"),
    ("4.50", "4.5"),
    ("0.0", "0"), ("0e5", "0"), ("1e400", "1.7976931348623157e+308"), ("10.5", "10.5"),
    ("-1e400", "-1.7976931348623157e+308"), ("-0.0", "0"), ("1e18", "1000000000000000000"),
  ])
  func numbersInTexts(_ text: String, _ expected: String) throws {
    #expect(try Self.canonical(text) == expected)
    #expect(try Self.canonical(" [ \(text) , \(text)]") == "[\(expected),\(expected)]")
    #expect(try Self.canonical("{\"a\":\(text)}") == "{\"a\":\(expected)}")
  }

  @Test(arguments: ["01", "00", "-01", "007", "1.", ".5", "+1", "1e", "-"])
  func otherNumbersAreErrors(_ text: String) {
    #expect(throws: (any Error).self) { try Self.canonical("[\(text)]") }
  }

  /// Sections 3.2.2 and 3.2.3.
  @Test func theExamplesOfTheStandard() throws {
    let input = #"""
      {"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
       "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}
      """#
    #expect(
      try Self.canonical(input)
        == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
        + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#)
    let names = #"""
      {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
       "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
       "\u00f6": "Latin Small Letter O With Diaeresis"}
      """#
    #expect(
      try Self.canonical(names)
        == "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\","
        + "\"\u{F6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20AC}\":\"Euro Sign\","
        + "\"\u{1F600}\":\"Emoji: Grinning Face\",\"\u{FB33}\":\"Hebrew Letter Dalet With Dagesh\"}"
    )
  }

  @Test func stringsAreEscapedAsLittleAsPossible() throws {
    var bytes: [UInt8] = []
    let all = String(String.UnicodeScalarView((0...0x80).compactMap { Unicode.Scalar($0) }))
    JSONCanonical.append(all, to: &bytes)
    let printable = (0x20...0x80).compactMap { Unicode.Scalar($0) }.map { scalar in
      scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(Character(scalar))
    }.joined()
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "\"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u000f"
        + "\\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c"
        + "\\u001d\\u001e\\u001f\(printable)\"")
    for text in [#""a b~""#, #""ä""#, "\"\u{7F}\"", #""\"""#, #""a\\""#, #""""#] {
      #expect(try Self.canonical(" \(text) ") == text)
    }
    #expect(try Self.canonical(#""\u0061\/""#) == #""a/""#)
    for text in ["\"a", "\"a\n\"", "\"\\x\"", "\"a\\"] {
      #expect(throws: JSONScanner.Failure.self, "\(text)") { try Self.canonical(text) }
    }
  }

  @Test func membersAreSortedAtEachLevel() throws {
    #expect(
      try Self.canonical(
        #"{ "b" : { "z" : [ ] , "a" : { } } , "a" : [ { "d" : 1 , "c" : 2 } , null ] }"#)
        == #"{"a":[{"c":2,"d":1},null],"b":{"a":{},"z":[]}}"#)
    #expect(try Self.canonical(#"{"a":1,"b":2,"c":3}"#) == #"{"a":1,"b":2,"c":3}"#)
    #expect(try Self.canonical(#"{"a":1,"c":3,"b":2,"d":4}"#) == #"{"a":1,"b":2,"c":3,"d":4}"#)
    // Their first eight bytes and more are the same, or one is the beginning of another.
    #expect(
      try Self.canonical(#"{"variants1B":1,"variants":2,"variants1A":3,"var":4,"":5}"#)
        == #"{"":5,"var":4,"variants":2,"variants1A":3,"variants1B":1}"#)
    #expect(try Self.canonical(#"[{"b":1,"a":2}]"#) == #"[{"a":2,"b":1}]"#)
    #expect(try Self.canonical("[true,false,null,[]]") == "[true,false,null,[]]")
  }

  /// The form of an object around an array, without the array's elements.
  @Test func frames() throws {
    func frame(_ text: String, without ignored: Set<String> = []) throws -> [String] {
      let (before, after) = try JSONCanonical.frame(
        of: Array(text.utf8), around: "images", without: ignored)
      return [before, after].map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(try frame("{}") == [#"{"images":["#, "]}"])
    #expect(
      try frame(#"{"z":{"b":1,"a":2},"count":3,"a":1.0,"later":[]}"#)
        == [#"{"a":1,"count":3,"images":["#, #"],"later":[],"z":{"a":2,"b":1}}"#])
    #expect(
      try frame(
        #"{"z":1,"count":3,"images":7,"digest":"d","image":1,"imagesx":2}"#,
        without: ["count", "digest"])
        == [#"{"image":1,"images":["#, #"],"imagesx":2,"z":1}"#])
    #expect(throws: JSONScanner.Failure.self) { try frame("[]") }
    #expect(JSONCanonical.precedes("a", "b") && !JSONCanonical.precedes("a", "a"))
    #expect(JSONCanonical.precedes("a", "aa") && JSONCanonical.precedes("\u{1F600}", "\u{FB33}"))
  }
}
