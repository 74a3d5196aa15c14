import Testing

@testable import TesseraJSON

/// `Codable` values as JSON and back.
@Suite struct JSONCodingTests {
  private enum Side: String, Codable { case left, right }

  private struct Inner: Codable, Equatable {
    var x: Double
    var list: [Int?]
  }

  private struct Record: Codable, Equatable {
    var flag = true
    var text = "a\"b"
    var whole = -7
    var small: UInt8 = 255
    var medium: Int32 = .min
    var double = 2.5
    var optional: Int?
    var present: Bool? = false
    var side = Side.right
    var inner = Inner(x: 0.1, list: [1, nil, 3])
    var texts = ["x", ""]
    var nested = [[true], []]
    var byName = ["k": 1]
    var none: [Inner] = []
  }

  private static func text(_ value: JSONValue) -> String {
    var writer = JSONWriter()
    writer.value(value)
    return writer.text
  }

  private static func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONCoding.value(type, of: JSONParser.parse(Array(text.utf8)))
  }

  @Test func recordsAreObjects() throws {
    let text =
      #"{"flag":true,"text":"a\"b","whole":-7,"small":255,"medium":-2147483648,"double":2.5,"#
      + #""present":false,"side":"right","inner":{"x":0.1,"list":[1,null,3]},"texts":["x",""],"#
      + #""nested":[[true],[]],"byName":{"k":1},"none":[]}"#
    #expect(Self.text(try JSONCoding.json(Record())) == text)
    #expect(try Self.read(Record.self, text) == Record())
    // Members in any order, others beside them, and null for one that is missing.
    let other = #"{"later":1,"optional":null,"x":2.5,"list":[]}"#
    #expect(try Self.read(Inner.self, other) == Inner(x: 2.5, list: []))
    #expect(
      try Self.read(Record.self, text.replacing("{\"flag\"", with: "{\"optional\":5,\"flag\""))
        .optional == 5)
  }

  @Test func singleValues() throws {
    #expect(try JSONCoding.json("x") == "x" && JSONCoding.json(7) == 7)
    #expect(try JSONCoding.json(true) == true && JSONCoding.json([Int?.none, 1]) == [.null, 1])
    #expect(
      try JSONCoding.json(Int?.none) == .null && JSONCoding.json([String: Int]()) == .object([]))
    #expect(
      try Self.read([Int].self, "[1,2]") == [1, 2] && Self.read(Side.self, "\"left\"") == .left)
    #expect(try Self.read(Int?.self, "null") == nil && Self.read(Int?.self, "3") == 3)
    #expect(try Self.read([Bool?].self, "[null,true]") == [nil, true])
    #expect(try Self.read([String: [Int]].self, #"{"a":[1],"b":[]}"#) == ["a": [1], "b": []])
  }

  /// The path and the reason of a failure.
  private static func failure<Value: Decodable>(_ type: Value.Type, _ text: String) -> String {
    func path(_ context: DecodingError.Context) -> String {
      context.codingPath.map(\.stringValue).joined(separator: ".")
    }
    do {
      _ = try read(type, text)
      return "none"
    } catch DecodingError.typeMismatch(let type, let context) {
      return "\(path(context)) \(type): \(context.debugDescription)"
    } catch DecodingError.keyNotFound(let key, let context) {
      return "\(path(context)): \(context.debugDescription) \(key.stringValue)"
    } catch {
      return "\(error)"
    }
  }

  @Test func failuresNameTheirPlace() {
    #expect(Self.failure(Inner.self, #"{"list":[]}"#) == "x: missing x")
    #expect(Self.failure(Inner.self, #"{"x":"1","list":[]}"#) == "x Double: found a string")
    #expect(Self.failure(Inner.self, #"{"x":1,"list":{}}"#).hasSuffix(": found an object"))
    #expect(Self.failure(Inner.self, "[]").hasSuffix(": found an array"))
    #expect(Self.failure(Bool.self, "1") == " Bool: found a number")
    #expect(Self.failure(String.self, "true") == " String: found true or false")
    #expect(Self.failure(Double.self, "null") == " Double: found null")
    struct Two: Decodable {
      var flag: Bool
      var text: String
      var whole: Int
    }
    #expect(Self.failure(Two.self, #"{"flag":"true"}"#) == "flag Bool: found a string")
    #expect(Self.failure(Two.self, #"{"flag":true,"text":1}"#) == "text String: found a number")
    #expect(
      Self.failure(Two.self, #"{"flag":true,"text":"","whole":"1"}"#) == "whole Int: found a string"
    )
    #expect(
      Self.failure(Two.self, #"{"flag":true,"text":"","whole":1.5}"#) == "whole Int: found a number"
    )
  }

  @Test func wholeNumbersFit() {
    for (text, fits) in [("255", true), ("256", false), ("-1", false), ("0", true), ("1.0", false)]
    {
      #expect(((try? Self.read(UInt8.self, text)) != nil) == fits, "\(text)")
    }
    for (text, fits) in [("2147483647", true), ("2147483648", false), ("-2147483648", true)] {
      #expect(((try? Self.read(Int32.self, text)) != nil) == fits, "\(text)")
    }
    #expect((try? Self.read(Int.self, "9223372036854775807")) == .max)
    #expect((try? Self.read(Int.self, "9223372036854775808")) == nil)
    #expect(
      (try? Self.read(Double.self, "1e400")) == nil && (try? Self.read(Int.self, "\"1\"")) == nil)
  }

  /// A type whose coding uses every kind of container.
  private struct Containers: Codable, Equatable {
    enum Key: String, CodingKey { case nothing, record, list, parent, own }
    enum Inner: String, CodingKey { case a }
    var whole = 5
    var list = ["x", "y"]

    init() {}

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      #expect(members.allKeys.map(\.rawValue) == ["nothing", "record", "list", "own"])
      #expect(members.contains(.list) && !members.contains(.parent))
      #expect(try members.decodeNil(forKey: .nothing) && !members.decodeNil(forKey: .list))
      let record = try members.nestedContainer(keyedBy: Inner.self, forKey: .record)
      whole = try record.decode(Int.self, forKey: .a)
      var values = try members.nestedUnkeyedContainer(forKey: .list)
      #expect(values.count == 5 && values.currentIndex == 0 && !values.isAtEnd)
      let first = try values.decode(String.self)
      #expect(try values.decodeNil() && values.currentIndex == 2)
      #expect(try !values.decodeNil() && values.currentIndex == 2)
      let inner = try values.nestedContainer(keyedBy: Inner.self)
      list = [first, try inner.decode(String.self, forKey: .a)]
      var numbers = try values.nestedUnkeyedContainer()
      #expect(try numbers.decode(Int.self) == 1 && numbers.isAtEnd)
      #expect(throws: DecodingError.self) { try numbers.decode(Int.self) }
      #expect(try !numbers.decodeNil())
      #expect(try Bool(from: values.superDecoder()) && values.isAtEnd)
      #expect(try members.superDecoder(forKey: .own).singleValueContainer().decode(Int.self) == 9)
      let again = try members.superDecoder().container(keyedBy: Key.self)
      #expect(again.allKeys == members.allKeys)
    }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encodeNil(forKey: .nothing)
      var record = members.nestedContainer(keyedBy: Inner.self, forKey: .record)
      try record.encode(whole, forKey: .a)
      var values = members.nestedUnkeyedContainer(forKey: .list)
      try values.encode(list[0])
      try values.encodeNil()
      var inner = values.nestedContainer(keyedBy: Inner.self)
      try inner.encode(list[1], forKey: .a)
      var numbers = values.nestedUnkeyedContainer()
      try numbers.encode(1)
      #expect(numbers.count == 1 && values.count == 4)
      try true.encode(to: values.superEncoder())
      try 9.encode(to: members.superEncoder(forKey: .own))
    }
  }

  @Test func containersOfEachKind() throws {
    let json = try JSONCoding.json(Containers())
    #expect(
      Self.text(json)
        == #"{"nothing":null,"record":{"a":5},"list":["x",null,{"a":"y"},[1],true],"own":9}"#)
    #expect(try JSONCoding.value(Containers.self, of: json) == Containers())
  }
}
