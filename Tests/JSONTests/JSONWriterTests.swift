import Testing

@testable import TesseraJSON

@Suite struct JSONWriterTests {
  private static func write(indent: Int? = nil, _ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(indent: indent)
    body(&writer)
    return writer.text
  }

  /// Everything that a writer can write.
  private static func all(_ writer: inout JSONWriter) {
    writer.object { object in
      object.member("text", "a\"b")
      object.member("whole", -7)
      object.member("double", 2.5)
      object.member("flag", true)
      object.member("other", false)
      object.member("list", ["x", "y"])
      object.member("none", [String]())
      object.member(
        "value", JSONValue.object([.init("a", .null), .init("b", .array([.bool(true)]))]))
      object.name("nothing")
      object.null()
      object.name("raw")
      object.value(json: "1.10")
      object.name("nested")
      object.array { list in
        list.null()
        list.array { _ in }
        list.object { $0.member("c", 1) }
        list.value(3)
      }
    }
  }

  @Test func aCompactText() {
    #expect(
      Self.write { Self.all(&$0) }
        == #"{"text":"a\"b","whole":-7,"double":2.5,"flag":true,"other":false,"list":["x","y"],"#
        + #""none":[],"value":{"a":null,"b":[true]},"nothing":null,"raw":1.10,"#
        + #""nested":[null,[],{"c":1},3]}"#)
  }

  @Test func anIndentedText() {
    #expect(
      Self.write(indent: 3) { writer in
        writer.beginObject()
        writer.member("a", ["x"])
        writer.name("b")
        writer.beginArray()
        writer.beginObject()
        writer.endObject()
        writer.beginObject()
        writer.member("c", 1)
        writer.member("d", 2)
        writer.endObject()
        writer.endArray()
        writer.endObject()
      } == """
        {
           "a": [
              "x"
           ],
           "b": [
              {},
              {
                 "c": 1,
                 "d": 2
              }
           ]
        }
        """)
    #expect(Self.write(indent: 2) { $0.value("x") } == "\"x\"")
  }

  /// What is taken is no longer in the text, and the next call goes on behind it.
  @Test func aTextIsTakenInParts() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.value(1)
    #expect(String(decoding: writer.take(), as: UTF8.self) == "[1")
    #expect(writer.take().isEmpty && writer.text.isEmpty)
    writer.value(2)
    writer.beginObject()
    writer.name("a")
    #expect(String(decoding: writer.take(), as: UTF8.self) == ",2,{\"a\":")
    writer.value(3)
    writer.endObject()
    writer.endArray()
    #expect(writer.text == "3}]")
  }

  /// Rounded to three decimals; whole numbers have no point.
  @Test(arguments: [
    (0, "0"), (-0.0, "0"), (1, "1"), (-3, "-3"), (0.5, "0.5"), (0.0004, "0"), (0.0005, "0.001"),
    (-0.0006, "-0.001"), (1.2344, "1.234"), (1.2346, "1.235"), (2.9996, "3"),
    (1e14, "100000000000000"),
    (1e16, "1e+16"), (-1e16, "-1e+16"), (999_999_999_999_999, "999999999999999"), (1e300, "1e+300"),
    (.infinity, "null"), (-.infinity, "null"), (.nan, "null"), (1e306, "null"),
  ])
  func doubles(_ number: Double, _ expected: String) {
    #expect(Self.write { $0.value(number) } == expected)
  }

  @Test func stringsAreEscaped() {
    let all = String(String.UnicodeScalarView((0...0x80).compactMap { Unicode.Scalar($0) }))
    let expected = (0...0x80).map { code -> String in
      switch code {
      case 0x0A: return "\\n"
      case 0x22: return "\\\""
      case 0x5C: return "\\\\"
      case 0x7F: return "\\u007f"
      case 0..<0x10: return "\\u000\(String(code, radix: 16))"
      case 0x10..<0x20: return "\\u00\(String(code, radix: 16))"
      default: return Unicode.Scalar(code).map { String(Character($0)) } ?? ""
      }
    }.joined()
    #expect(Self.write { $0.value(all) } == "\"\(expected)\"")
    #expect(Self.write { writer in writer.object { $0.member("ä\n😀", 1) } } == "{\"ä\\n😀\":1}")
  }

  // MARK: Values

  private static let object: JSONValue = ["a": 1, "b": [true, "x"], "c": JSONValue.null]

  @Test func literalsAreValues() {
    #expect(
      Self.object
        == .object([
          .init("a", .number("1")), .init("b", .array([.bool(true), .string("x")])),
          .init("c", .null),
        ]))
    let other: JSONValue = ["d": false]
    #expect(Self.object.with(other).with([.init("e", 7)])["d"] == false)
    #expect(
      Self.object.with(other)
        == .object([.init("a", 1), .init("b", [true, "x"]), .init("c", .null), .init("d", false)]))
    #expect(Self.object.with(.null) == Self.object && JSONValue.null.with(other) == .null)
    #expect(JSONValue.int(-5) == .number("-5"))
  }

  @Test func valuesOfEachKind() {
    #expect(
      Self.object["a"]?.intValue == 1 && Self.object["x"] == nil && JSONValue.null["a"] == nil)
    let values: [JSONValue] = [.null, .bool(true), .number("1.5"), .string("x"), [1], ["a": 1]]
    #expect(values.map(\.stringValue) == [nil, nil, nil, "x", nil, nil])
    #expect(values.map(\.boolValue) == [nil, true, nil, nil, nil, nil])
    #expect(values.map(\.arrayValue) == [nil, nil, nil, nil, [1], nil])
    #expect(values.map(\.doubleValue) == [nil, nil, 1.5, nil, nil, nil])
    #expect(values.map(\.intValue) == [nil, nil, nil, nil, nil, nil])
    #expect(
      values.map(\.kind) == [
        "null", "true or false", "a number", "a string", "an array", "an object",
      ])
    let numbers = ["7", "-7", "7.0", "1e400", "9223372036854775808"].map { JSONValue.number($0) }
    #expect(numbers.map(\.intValue) == [7, -7, nil, nil, nil])
    #expect(numbers.map(\.doubleValue) == [7, -7, 7, nil, 9_223_372_036_854_775_808])
    // Of two members with the same name the first counts.
    #expect(JSONValue.object([.init("a", 1), .init("a", 2)])["a"] == 1)
  }

  /// Values are equal if they are spelled alike: by their bytes, and with members in the same order.
  @Test(arguments: [
    ("1", "1", true), ("1", "1.0", false), ("\"a\"", "\"a\"", true),
    ("\"\u{E9}\"", "\"e\u{301}\"", false), ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}", false),
    ("[1,2]", "[1,2]", true), ("[1,2]", "[2,1]", false), ("[1,2]", "[1]", false),
    ("{\"a\":1,\"b\":2}", "{ \"a\": 1, \"b\": 2 }", true),
    ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", false),
    ("{\"a\":1}", "{\"a\":1,\"b\":2}", false), ("{\"a\":1}", "{\"b\":1}", false),
    ("null", "false", false), ("[{\"a\":1}]", "[{\"a\":2}]", false), ("{}", "[]", false),
  ])
  func equalityIsOfBytes(_ one: String, _ other: String, _ isEqual: Bool) throws {
    let (one, other) = try (JSONParser.parse(Array(one.utf8)), JSONParser.parse(Array(other.utf8)))
    #expect((one == other) == isEqual && (other == one) == isEqual)
  }
}
