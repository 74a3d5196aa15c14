import TesseraJSON
import Testing

@Suite struct JSONTests {
  @Test(arguments: [
    (#"{"a":[1,2.50,-0,1e9],"b":null,"c":true}"#, #"{"a":[1,2.50,-0,1e9],"b":null,"c":true}"#),
    (#" [ ] "#, "[]"),
    (#""\u00e9\ud83d\ude00\n""#, "\"é😀\\n\""),
    (#"{"n":9223372036854775808}"#, #"{"n":9223372036854775808}"#),
    (
      #"{ "" : { } , "\/\u007f" : [ [ ] , { "b" : [ 1 , "\u0001" ] } ] }"#,
      #"{"":{},"/\u007f":[[],{"b":[1,"\u0001"]}]}"#
    ),
  ])
  func readsAndWritesBack(_ text: String, _ expected: String) throws {
    var writer = JSONWriter()
    writer.value(try JSONParser.parse(Array(text.utf8)))
    #expect(writer.text == expected)
    // As text, without a tree: the same, also of what was compact already.
    for text in [text, expected] {
      let (value, kept) = try JSONParser.parse(
        Array("{\"a\": 1, \"kept\": \(text)}".utf8), keepingText: "kept")
      #expect(kept == expected)
      #expect(value == .object([.init("a", .int(1))]))
    }
  }

  @Test func textIsOnlyKeptOfTheOutermostObject() throws {
    for text in [#"{"a":{"kept":1}}"#, #"[{"kept":1}]"#, "7"] {
      let (value, kept) = try JSONParser.parse(Array(text.utf8), keepingText: "kept")
      #expect(try value == JSONParser.parse(Array(text.utf8)))
      #expect(kept == nil)
    }
  }

  @Test(arguments: [
    ("", "0: expected a value, found the end of the text"),
    ("{\"a\":1,}", "7: expected a member's name in quotes, found \"}\""),
    ("[1,]", "3: expected a value, found \"]\""),
    ("{\"a\":1,\"a\":2}", "7: duplicate member \"a\""),
    ("{\"a\" 1}", "5: expected \":\" after a member's name, found \"1\""),
    ("{\"a\":1 \"b\":2}", "7: expected \",\" or \"}\", found \"\"\""),
    ("[1 2]", "3: expected \",\" or \"]\", found \"2\""),
    ("{\"a\":{\"b\":tru}}", "10: expected a value, found \"t\""),
    ("[-]", "2: expected a digit, found \"]\""),
    ("1.", "2: expected a digit after \".\", found the end of the text"),
    ("1e+", "3: expected a digit in the exponent, found the end of the text"),
    ("\"a", "0: the string has no closing quote"),
    ("\"\\x\"", "2: unknown escape \"x\""),
    ("\"\\u12g4\"", "5: expected four hexadecimal digits, found \"g\""),
    ("\"\\", "2: the text ends inside an escape"),
    ("NaN", "0: expected a value, found \"N\""),
    ("01", "1: expected the end of the text, found \"1\""),
    ("\"\u{1}\"", "1: a control character in a string must be escaped, found the byte 0x1"),
    ("\"\\ud800\"", "7: a surrogate without its other half"),
    ("[1] x", "4: expected the end of the text, found \"x\""),
  ])
  func rejects(_ text: String, _ expected: String) {
    #expect(throws: JSONError.self) { try JSONParser.parse(Array(text.utf8)) }
    do {
      _ = try JSONParser.parse(Array(text.utf8))
    } catch {
      #expect("\(error.offset): \(error.message)" == expected)
    }
    // What is kept as text must be as valid.
    #expect(throws: JSONError.self) {
      try JSONParser.parse(Array("{\"kept\":\(text)}".utf8), keepingText: "kept")
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("-17", -17), ("9223372036854775807", .max), ("10]", 10),
      ("9223372036854775808", nil), ("9223372036854775810", nil),
      ("-99999999999999999999999", nil), ("01", nil), ("-00", nil), ("", nil), ("-", nil),
      ("1.0", nil), ("1e3", nil), ("+1", nil), ("\"1\"", nil),
    ] as [(String, Int?)])
  func readsWholeNumbersThatFit(_ text: String, _ expected: Int?) {
    var scanner = JSONScanner(Array(text.utf8))
    #expect((try? scanner.int()) == expected)
  }

  @Test func rejectsDeepNestingWithoutRecursingInto100000Levels() {
    let text = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(throws: JSONError(offset: 64, message: "nested more than 64 levels deep")) {
      try JSONParser.parse(text)
    }
  }

  @Test func rejectsInvalidUTF8() {
    #expect(throws: JSONError(offset: 0, message: "the string is not valid UTF-8")) {
      try JSONParser.parse([UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])
    }
  }

  @Test func writesIndented() {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("a", 1)
      object.name("b")
      object.array { list in
        list.value("x")
        list.value(0.5)
      }
      object.name("c")
      object.object { _ in }
    }
    #expect(writer.text == "{\n  \"a\": 1,\n  \"b\": [\n    \"x\",\n    0.5\n  ],\n  \"c\": {}\n}")
  }
}
