import TesseraTestSupport
import Testing

@testable import TesseraJSON

/// JSON Merge Patch (RFC 7396).
@Suite struct MergePatchTests {
  private static func value(_ text: String) throws -> JSONValue {
    try JSONParser.parse(Array(text.utf8))
  }

  private static func text(_ value: JSONValue?) -> String? {
    guard let value else { return nil }
    var writer = JSONWriter()
    writer.value(value)
    return writer.text
  }

  /// Appendix A.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func theExamplesOfTheStandard(_ old: String, _ patch: String, _ new: String) throws {
    #expect(Self.text(MergePatch.apply(try Self.value(patch), to: try Self.value(old))) == new)
  }

  @Test(
    arguments: [
      ("{}", "{}", nil), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, nil), ("1", "1", nil),
      ("1", "2", "2"),
      (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#),
      (#"{"a":1}"#, #"{"a":1,"b":{"c":[null]}}"#, #"{"b":{"c":[null]}}"#),
      (#"{"a":1,"b":2,"c":3}"#, #"{"b":2}"#, #"{"a":null,"c":null}"#),
      (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"c":3}}"#, #"{"a":{"c":3}}"#),
      (#"{"a":{"b":1}}"#, #"{"a":{}}"#, #"{"a":{"b":null}}"#),
      (#"{"a":[1]}"#, #"{"a":[2]}"#, #"{"a":[2]}"#),
      (#"{"a":[1]}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#), ("[1]", #"{"a":1}"#, #"{"a":1}"#),
      (#"{"a":null}"#, #"{"a":null,"b":1}"#, #"{"b":1}"#), (#"{"a":1}"#, "null", "null"),
      ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}", "{\"e\u{301}\":1,\"\u{E9}\":null}"),
    ] as [(String, String, String?)])
  func patchesBetweenValues(_ old: String, _ new: String, _ expected: String?) throws {
    let patch = try MergePatch.between(Self.value(old), Self.value(new))
    #expect(Self.text(patch) == expected)
  }

  /// A patch with null removes a member, so that no patch sets one to null.
  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":null}"#, ["a"]), ("{}", #"{"a":null}"#, ["a"]), ("1", #"{"a":null}"#, []),
    ("{}", #"{"b":1,"a":{"b":{"c":null}}}"#, ["a"]),
    (#"{"a":{"b":1}}"#, #"{"a":{"b":null}}"#, ["a", "b"]),
    (#"{"a":{"b":{}}}"#, #"{"a":{"b":{"c":{"d":null}}}}"#, ["a", "b", "c"]),
  ])
  func nullsAreInexpressible(_ old: String, _ new: String, _ path: [String]) throws {
    let (old, new) = (try Self.value(old), try Self.value(new))
    let error = #expect(throws: MergePatch.Inexpressible.self) { try MergePatch.between(old, new) }
    #expect(error?.path == path)
  }

  /// Whatever changes, the patch leads from one to the other, with few members and with many.
  @Test(arguments: [3, 16, 17, 40]) func patchesLeadFromOneToTheOther(_ most: Int) throws {
    var random = SplitMix(seed: UInt64(most))
    func object(_ depth: Int) -> JSONValue {
      var members: [JSONValue.Member] = []
      for place in 0..<most where Bool.random(using: &random) {
        let value: JSONValue =
          depth > 0 && Int.random(in: 0..<5, using: &random) == 0
          ? object(depth - 1) : .int(Int.random(in: 0...2, using: &random))
        members.append(.init("n\(place)", value))
      }
      return .object(members.shuffled(using: &random))
    }
    for _ in 0..<50 {
      let (old, new) = (object(2), object(2))
      let patch = try MergePatch.between(old, new)
      let result = patch.map { MergePatch.apply($0, to: old) } ?? old
      #expect(result.isSame(as: new))
      #expect((patch == nil) == old.isSame(as: new))
      #expect(try MergePatch.between(result, new) == nil)
    }
  }
}
