import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraText

/// Bytes as text, and texts in messages.
@Suite struct EncodingTests {
  /// RFC 3986, section 2.3: letters, digits and four other characters stay.
  @Test func onlyUnreservedCharactersStay() {
    let unreserved = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(PercentEncoding.isUnreserved(byte) == unreserved.contains(byte), "\(byte)")
      let hexadecimal = String(format: "%02X", byte)
      let decoded = PercentEncoding.decode("%\(hexadecimal)%\(hexadecimal.lowercased())x")
      #expect(decoded == [byte, byte, UInt8(ascii: "x")])
      guard byte < 0x80 else { continue }
      let text = String(UnicodeScalar(byte))
      let expected = unreserved.contains(byte) ? text : "%\(hexadecimal)"
      #expect(PercentEncoding.encode(text) == expected)
      #expect(PercentEncoding.encode(text, keeping: "/") == (text == "/" ? "/" : expected))
    }
    #expect(PercentEncoding.encode("é/ü", keeping: "/") == "%C3%A9/%C3%BC")
  }

  @Test(
    arguments: [
      ("", []), ("a+b", Array("a+b".utf8)), ("%41b", Array("Ab".utf8)), ("%", nil), ("%4", nil),
      ("%4g", nil), ("%g4", nil), ("a%", nil), ("%%41", nil), ("%@A", nil), ("%/0", nil),
      ("%:0", nil), ("%`0", nil), ("%G0", nil),
    ] as [(String, [UInt8]?)])
  func aPercentSignNeedsTwoDigits(_ text: String, _ bytes: [UInt8]?) {
    #expect(PercentEncoding.decode(text[...]) == bytes)
  }

  @Test func hexadecimalDigitsArePairs() {
    let all = Array(UInt8.min...UInt8.max)
    let text = all.map { String(format: "%02x", $0) }.joined()
    #expect(Hexadecimal.encode(all) == text)
    #expect(Hexadecimal.decode(text) == all)
    #expect(Hexadecimal.decode(text.uppercased()) == all)
    #expect(Hexadecimal.decode("") == [])
    for other in ["a", "abc", "0g", "g0", "é", "0 ", "+1"] {
      #expect(Hexadecimal.decode(other) == nil, "\(other)")
    }
  }

  /// RFC 4648, section 10, and what Foundation writes, for all values of a digit.
  @Test func base64IsThatOfTheStandard() {
    for (text, encoded) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ] {
      #expect(Base64.encode(Array(text.utf8)) == encoded)
      #expect(Base64.decode(encoded) == Array(text.utf8))
    }
    var random = SplitMix(seed: 64)
    for length in [1, 2, 3, 61, 256, 257] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Data(bytes).base64EncodedString()
      let plain = text.replacing("=", with: "")
      let forURLs = text.replacing("+", with: "-").replacing("/", with: "_")
      #expect(Base64.encode(bytes) == text)
      #expect(Base64.encode(bytes, isPadded: false) == plain)
      #expect(Base64.encodeForURLs(bytes, isPadded: true) == forURLs)
      #expect(
        Base64.encodeForURLs(bytes, isPadded: false) == forURLs.replacing("=", with: ""))
      #expect(Base64.decode(text) == bytes)
    }
    #expect(Base64.encodeForURLs([0xFB, 0xFF, 0xBF], isPadded: true) == "-_-_")
  }

  @Test(arguments: ["A", "AA", "AAA", "AAAAA", "A===", "====", "AA=A", "AAA?", "AA-_", "é=="])
  func otherTextsAreNotBase64(_ text: String) { #expect(Base64.decode(text) == nil) }

  @Test(arguments: [
    ("", ""), ("a", "A."), ("done.", "Done."), ("Über", "Über."), ("é", "É."), ("1 b", "1 b."),
  ])
  func aSentenceHasACapitalAndAFullStop(_ text: String, _ sentence: String) {
    #expect(text.asSentence == sentence)
  }

  @Test func aLongTextIsQuotedInPart() {
    #expect(String(repeating: "a", count: 60).excerpt == String(repeating: "a", count: 60))
    #expect(String(repeating: "a", count: 61).excerpt == String(repeating: "a", count: 59) + "…")
  }

  /// Changed, added, missing and swapped letters count one each.
  @Test(arguments: [
    ("", "", 0), ("abc", "", 3), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1),
    ("abc", "xbc", 1), ("abc", "abcd", 1), ("abcd", "bcd", 1), ("abc", "acb", 1), ("ab", "ba", 1),
    ("abcd", "badc", 2), ("abc", "cab", 2), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ("abc", "bca", 2),
  ])
  func distances(_ first: String, _ second: String, _ distance: Int) {
    #expect(Nearest.distance(first, second) == distance)
    #expect(Nearest.distance(second, first) == distance)
  }

  /// At most a third of the letters, and at least one, may be wrong.
  @Test(
    arguments: [
      ("slot", "slots"), ("SLOT", "slots"), ("slxx", nil), ("scalxxs", nil), ("formxx", "format"),
      ("foxxxx", nil),
      ("forxx", nil), ("a", "ab"), ("qualitixxs", "qualities"), ("qualixxxs", "qualities"),
      ("quaxxxxs", nil), ("zzz", nil),
    ] as [(String, String?)])
  func suggestsTheNearestWord(_ word: String, _ match: String?) {
    let words = ["slots", "format", "ab", "qualities", "slot-s"]
    #expect(Nearest.match(to: word, among: words) == match)
    #expect(
      Nearest.hint(for: word, among: words) == (match.map { " (did you mean \"\($0)\"?)" } ?? ""))
    #expect(Nearest.match(to: word, among: []) == nil)
  }
}
