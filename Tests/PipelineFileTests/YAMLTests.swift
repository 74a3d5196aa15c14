import TesseraTestSupport
import Testing

@testable import TesseraPipelineFile

/// The tree of a YAML text with its positions, and its limits.
@Suite struct YAMLTests {
  /// `1:1 {1:1 a: 1:4 [1:5 'b', 1:8 "c"]}`: single quotes for plain scalars, double ones for quoted
  /// ones.
  private static func outline(_ node: YAMLNode) -> String {
    let text =
      switch node.content {
      case .scalar(let text, let isQuoted): isQuoted ? "\"\(text)\"" : "'\(text)'"
      case .sequence(let nodes): "[\(nodes.map(outline).joined(separator: ", "))]"
      case .mapping(let pairs):
        "{\(pairs.map { "\(outline($0.key)): \(outline($0.value))" }.joined(separator: ", "))}"
      }
    return "\(node.mark.line):\(node.mark.column) \(text)"
  }

  private static func parse(_ text: String) -> String { parse(Array(text.utf8)) }

  private static func parse(_ bytes: [UInt8]) -> String {
    do throws(Diagnostic) {
      return outline(try YAMLParser.parse(bytes))
    } catch {
      return "\(error.mark.line):\(error.mark.column) error: \(error.message)"
    }
  }

  @Test(arguments: [
    ("", "1:1 {}"), ("# a\n", "1:1 {}"),
    ("a", "1:1 'a'"), ("a:", "1:1 {1:1 'a': 1:3 ''}"),
    ("a: b\né: \"c\"\n", "1:1 {1:1 'a': 1:4 'b', 2:1 'é': 2:4 \"c\"}"),
    ("é: [1, '2', {x: y}]", "1:1 {1:1 'é': 1:4 [1:5 '1', 1:8 \"2\", 1:13 {1:14 'x': 1:17 'y'}]}"),
    ("a:\n  - b\n  - |\n    c\n", "1:1 {1:1 'a': 2:3 [2:5 'b', 3:5 \"c\n\"]}"),
    ("- &x b\n- *x\n", "1:1 [1:3 'b', 1:3 'b']"),
    ("- &x [b]\n- *x\n", "1:1 [1:3 [1:7 'b'], 1:3 [1:7 'b']]"),
    ("- &x {b: c}\n- *x\n", "1:1 [1:3 {1:7 'b': 1:10 'c'}, 1:3 {1:7 'b': 1:10 'c'}]"),
    // The last anchor of a name counts.
    ("- &x b\n- &x c\n- *x\n", "1:1 [1:3 'b', 2:3 'c', 2:3 'c']"),
    ("a: *x", "1:4 error: the alias \"*x\" has no anchor before it"),
    ("&x [*x]", "1:5 error: the alias \"*x\" has no anchor before it"),
    ("a: 1\n---\nb: 2\n", "2:1 error: a second document begins here; a pipeline file has one"),
  ])
  func nodesHavePositions(_ text: String, _ outline: String) {
    #expect(Self.parse(text) == outline)
  }

  /// A text, bytes after it, and the error.
  @Test(
    arguments: [
      ("a: [\n", [], "2:1 error: did not find expected node content while parsing a flow node"),
      (
        "manifest:x\noutput: o\n", [],
        "1:10 error: a blank is missing between the colon and the value"
      ),
      ("a: 1\n b: 2\n", [], "2:3 error: mapping values are not allowed in this context"),
      (
        "a: {}\n b: 2\n", [],
        "2:2 error: did not find expected key while parsing a block mapping; keys of one group "
          + "must begin in the same column"
      ),
      (
        "a: 1\nb 1\nc: 2\n", [],
        "2:1 error: could not find expected ':' while scanning a simple key"
      ),
      (
        "é: # é\n\tb: 1\n", [],
        "2:1 error: found character that cannot start any token while scanning for the next token; "
          + "indent with spaces, not with tabs"
      ),
      (
        "a: @b\n", [],
        "1:4 error: found character that cannot start any token while scanning for the next token"
      ),
      ("a: 1\né: é", [0xFF], "2:5 error: invalid leading UTF-8 octet"),
      ("", [0xFF], "1:1 error: invalid leading UTF-8 octet"),
      ("a: \u{1}", [], "1:4 error: control characters are not allowed"),
      ("a: 1\n\u{7}", [], "2:1 error: control characters are not allowed"),
    ] as [(String, [UInt8], String)])
  func errorsHavePositions(_ text: String, _ rest: [UInt8], _ message: String) {
    #expect(Self.parse(Array(text.utf8) + rest) == message)
  }

  // MARK: Limits

  private static func list(_ count: Int) -> String {
    String(repeating: "a, ", count: count)
  }

  /// The list itself is one of the values.
  @Test func aFileHasAtMostTenThousandValues() {
    expectMost(9_999) { !Self.parse("[\(Self.list($0))]").contains("error") }
    #expect(
      Self.parse("[\(Self.list(9_999))\nb]")
        == "2:1 error: the file expands to more than 10000 values")
    // Keys count, too.
    expectMost(4_999) {
      !Self.parse("{\(String(repeating: "a: b, ", count: $0))}").contains("error")
    }
  }

  /// An alias is a value, and costs what it stands for besides: 97 of 101 and 100 for the list of
  /// 99 leave 202 of ten thousand.
  @Test func anAliasCostsWhatItStandsFor() {
    let start = "[&x [\(Self.list(99))], \(String(repeating: "*x, ", count: 97))"
    expectMost(9_999 - 100 - 97 * 101) {
      !Self.parse("\(start)\(Self.list($0))]").contains("error")
    }
    // The text of an anchored scalar is one value, and so is a pair's key.
    let scalar = "[&x a, \(String(repeating: "*x, ", count: 4_000))"
    expectMost(9_999 - 1 - 4_000 * 2) {
      !Self.parse("\(scalar)\(Self.list($0))]").contains("error")
    }
  }

  @Test func nestingHasAtMost32Levels() {
    func nested(_ open: String, _ close: String, _ count: Int) -> String {
      String(repeating: open, count: count) + String(repeating: close, count: count)
    }
    expectMost(32) { !Self.parse(nested("[", "]", $0)).contains("error") }
    #expect(
      Self.parse(nested("[", "]", 33)) == "1:33 error: nested more than 32 levels deep")
    expectMost(31) { count in
      !Self.parse(
        String(repeating: "{a: ", count: count) + "b" + String(repeating: "}", count: count)
      )
      .contains("error")
    }
  }

  @Test(arguments: [
    ("a", "\"a\"", false), ("\"\"", "\"\"", false), ("~", "\"~\"", true),
    ("null", "\"null\"", true),
    ("\"~\"", "\"~\"", false), ("\"null\"", "\"null\"", false), ("[]", "a list", false),
    ("{}", "a group of keys", false), ("Null", "\"Null\"", false),
  ])
  func nodesHaveKinds(_ text: String, _ kind: String, _ isEmpty: Bool) throws {
    let node = try YAMLParser.parse(Array(text.utf8))
    #expect(node.kind == kind)
    #expect(node.isEmpty == isEmpty)
  }

  @Test func aMissingValueIsNothing() throws {
    let node = try YAMLParser.parse(Array("a:".utf8))
    guard case .mapping(let pairs) = node.content else { return }
    #expect(pairs[0].value.kind == "nothing" && pairs[0].value.isEmpty)
  }
}
