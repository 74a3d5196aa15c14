import TesseraTestSupport
import Testing

@testable import TesseraJSON

@Suite struct JSONBoundaryTests {
  /// The end of a value, when all of it is here.
  private static func end(_ text: String, from start: Int = 0) -> Int? {
    var boundary = JSONBoundary()
    return boundary.end(of: start, in: Array(text.utf8))
  }

  @Test(arguments: [
    ("{}", 2), ("[]", 2), ("{} x", 2), ("[1,[2],{\"a\":[]}],", 16), ("\"a\"", 3),
    ("\"a\\\"b\"c", 6),
    ("\"\\\\\" ", 4), ("\"[{,:\"", 6), ("12,", 2), ("true ", 4), ("1]", 1), ("1}", 1), ("1:", 1),
    ("1\n", 1), ("1\t", 1), ("1\r", 1), (" \n\t\r7,", 5), (" {\"}\":1}", 8), ("[\"]\"]", 5),
    ("]", 0),
    ("}", 0), (",", 0), (":", 0), (" ]", 1), ("[}", 2), ("[[}}", 4), ("[ 1 , 2 ]", 9),
  ])
  func ends(_ text: String, _ end: Int) { #expect(Self.end(text) == end, "\(text)") }

  @Test(arguments: [
    "", " ", "1", "true", "\"a", "\"a\\\"", "\"\\", "[", "[1,2", "{\"a\":{}", "[\"]",
  ])
  func needsMore(_ text: String) { #expect(Self.end(text) == nil, "\(text)") }

  /// A text that arrives in pieces has the same ends, wherever the caller cuts it and removes what
  /// it has read.
  @Test(arguments: [1, 2, 3, 7]) func endsInPieces(_ size: Int) {
    let values = [
      "{\"a\":[1,{\"b\\\"\":\"]}\"}]}", "12.5", "\"x\\\\\"", "[[[]],[{}]]", "null", "{}",
    ]
    let text = Array(values.joined(separator: ",").utf8)
    for removes in [false, true] {
      var boundary = JSONBoundary()
      var (buffer, start, found) = ([UInt8](), 0, [String]())
      for place in stride(from: 0, to: text.count + size, by: size) {
        // The last value is a word of its own only if something follows it.
        let piece = place < text.count ? Array(text[place..<min(place + size, text.count)]) : [0x2C]
        buffer += piece
        while let end = boundary.end(of: start, in: buffer) {
          found.append(String(decoding: buffer[start..<end], as: UTF8.self))
          guard end < buffer.count else {
            start = end
            break
          }
          start = end + 1
        }
        if start < buffer.count, buffer[start] == 0x2C { start += 1 }
        if removes, start > 0, start <= buffer.count {
          buffer.removeFirst(start)
          boundary.removedFirst(start)
          start = 0
        }
      }
      #expect(found.filter { !$0.isEmpty } == values, "\(removes)")
    }
  }

  /// Bytes that were removed count no longer, and a half that was examined is not examined again.
  @Test func removedBytesMoveTheValue() {
    var boundary = JSONBoundary()
    let text = Array("xx[1,\"]\",2".utf8)
    #expect(boundary.end(of: 2, in: text) == nil)
    boundary.removedFirst(2)
    // What was examined is taken as it was: these bytes differ, and only the last one counts.
    #expect(boundary.end(of: 0, in: Array("........]".utf8)) == 9)
    #expect(boundary.end(of: 2, in: text) == nil)
    // Another start begins anew.
    #expect(boundary.end(of: 3, in: text) == 4 && boundary.end(of: 5, in: text) == 8)
  }

  /// Of random values the boundary is where the parser ends.
  @Test func endsWhereTheParserEnds() {
    var random = SplitMix(seed: 17)
    func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
      case 0: "\(Int.random(in: -99...99, using: &random))"
      case 1: ["true", "false", "null", "1.5e-7"].randomElement(using: &random) ?? ""
      case 2: "\"\\\\\\\"[]{}\""
      case 3: "\"a,b:c \""
      case 4: "[ \((0..<3).map { _ in value(depth - 1) }.joined(separator: " , ")) ]"
      default: "{\"\\\"\":\(value(depth - 1)),\"}\" : \(value(depth - 1))}"
      }
    }
    for _ in 0..<300 {
      let text = value(4)
      #expect(Self.end("\(text),") == text.utf8.count, "\(text)")
      #expect(Self.end("[ ,\(text) ]", from: 3) == text.utf8.count + 3, "\(text)")
      #expect(throws: Never.self) { try JSONParser.parse(Array(text.utf8)) }
    }
  }
}
