import TesseraJSON
import Testing

/// JSON values on a line of a pipeline file.
@Suite struct YAMLTextTests {
  @Test(
    arguments: [
      ("a", "a"), ("Image Src", "Image Src"), ("/a/b.jsonl", "/a/b.jsonl"), ("", "\"\""),
      (" a", "\" a\""), ("a ", "\"a \""), ("a: b", "\"a: b\""), ("a #b", "\"a #b\""),
      ("[a]", "\"[a]\""), ("-", "\"-\""), ("a,b", "\"a,b\""), ("a\"b", "\"a\\\"b\""),
      ("é", "\"é\""),
      ("a\nb", "\"a\\nb\""),
    ])
  func textsHaveQuotesWhereTheyNeedThem(_ text: String, _ expected: String) {
    #expect(JSONValue.string(text).yaml == expected)
  }

  @Test func valuesAreOnOneLine() {
    let value: JSONValue = ["url": ["a b", "c: d"], "n": 1, "none": .array([])]
    #expect(value.yaml == "{url: [a b, \"c: d\"], n: 1, none: []}")
  }
}
