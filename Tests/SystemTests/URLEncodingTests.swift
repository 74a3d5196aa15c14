import TesseraTestSupport
import Testing

@testable import TesseraText

/// URLs as people write them, and what browsers make of them: the URL standard's percent-encode sets, compared with Node's
/// `URL` (which does not encode "^" in paths, as the standard does by now).
@Suite struct URLEncodingTests {
  private static let host = "https://h.example"

  @Test(arguments: [
    // What needs no encoding stays.
    ("/a.jpg", "/a.jpg"), ("/a%20b.jpg", "/a%20b.jpg"), ("/100%.jpg", "/100%.jpg"),
    ("/a+b;c=d,e@f:g!$&()*~-_|[1].jpg", "/a+b;c=d,e@f:g!$&()*~-_|[1].jpg"),
    ("/o'brien.jpg", "/o'brien.jpg"), ("/a?b=c|d^e`f{g}\\", "/a?b=c|d^e`f{g}\\"),
    ("/a#b{c}^\\", "/a#b{c}^\\"), ("", ""), ("?a", "?a"), ("/a//b/../c", "/a//b/../c"),
    // The path.
    ("/a b.jpg", "/a%20b.jpg"), ("/\"<>^`{}.jpg", "/%22%3C%3E%5E%60%7B%7D.jpg"),
    ("/b\u{FC}cher.jpg", "/b%C3%BCcher.jpg"), ("/e\u{301}.jpg", "/e%CC%81.jpg"),
    ("/\u{1F600}", "/%F0%9F%98%80"), ("\\a\\b.jpg", "/a/b.jpg"),
    ("/a\u{0}\u{1F}\u{7F}", "/a%00%1F%7F"),
    ("/a%2 b", "/a%2%20b"),
    // The query, in which an apostrophe is encoded as well.
    ("/a?n=o'b x\"<>", "/a?n=o%27b%20x%22%3C%3E"), ("/a?\u{FC}", "/a?%C3%BC"),
    ("/a?b?c d", "/a?b?c%20d"), ("?a b", "?a%20b"), ("/a b?c\\d", "/a%20b?c\\d"),
    // The fragment.
    ("/a#b c\"<>`'", "/a#b%20c%22%3C%3E%60'"), ("/a#b#c d", "/a#b#c%20d"),
    ("#?\u{FC}'", "#?%C3%BC'"),
    // Around it, and line ends and tabs in it.
    (" \u{1}/a", " \u{1}/a"), ("/a \u{1F}\t\n", "/a"), ("/a\r\nX-Key: 1", "/aX-Key:%201"),
    ("/a\tb\n.jpg", "/ab.jpg"),
  ])
  func aURLIsEncodedAsBrowsersDo(_ written: String, _ encoded: String) {
    #expect(SourceURL.encoded(Self.host + written) == Self.host + encoded)
    #expect(SourceURL.encoded(Self.host + encoded) == Self.host + encoded)
  }

  @Test(arguments: [
    (" \t\nhttps://h/a b \n", "https://h/a%20b"), ("HTTPS://H/\u{FC}", "HTTPS://H/%C3%BC"),
    ("https:\\\\h\\a b", "https://h/a%20b"), ("h\nttps://h/a b", "https://h/a%20b"),
    // The host is a mistake if it has such characters, and stays, so that the mistake is reported.
    ("https://a b/c d", "https://a b/c%20d"),
    ("https://b\u{FC}cher.example/\u{FC}", "https://b\u{FC}cher.example/%C3%BC"),
    ("https://u:p w@h:1/a b", "https://u:p%20w@h:1/a%20b"),
    ("https://u@v^:p|@h/a b", "https://u@v%5E:p%7C@h/a%20b"),
    // Relative references.
    ("a b.jpg", "a%20b.jpg"), ("..\\a\\b.jpg", "../a/b.jpg"), ("?a b'", "?a%20b%27"),
    ("a/http://h i/j", "a/http://h%20i/j"), ("//h/a b", "//h/a%20b"), ("", ""), (" ", ""),
    // Files, stores and data.
    ("file:///a b?c d'#e f", "file:///a%20b?c%20d'#e%20f"), ("file:\\\\\\a\\b", "file:///a/b"),
    ("s3://b/a b\\c", "s3://b/a%20b\\c"), ("s3://b/\u{FC}", "s3://b/%C3%BC"),
    ("data:image/png; base64,a b\nc", "data:image/png; base64,a bc"),
    ("data:image/svg+xml,<a b='\u{FC}'>", "data:image/svg+xml,<a b='%C3%BC'>"),
    ("data:,a\u{1}b", "data:,a%01b"),
  ])
  func schemesDiffer(_ written: String, _ encoded: String) {
    #expect(SourceURL.encoded(written) == encoded)
    #expect(SourceURL.encoded(encoded) == encoded)
  }

  /// Whatever is written, the encoded URL has no byte behind its host that could end a line of a request.
  @Test func nothingEndsTheLineOfARequest() {
    var random = SplitMix(seed: 38)
    let bytes = Array(" \t\r\n\0\u{1}\u{7F}\\/?#%'\"<>^`{}|@:abc\u{FC}".unicodeScalars)
    for _ in 0..<2_000 {
      let text = String(
        String.UnicodeScalarView(
          (0..<12).map { _ in bytes[Int.random(in: 0..<bytes.count, using: &random)] }))
      let encoded = SourceURL.encoded("https://h/\(text)")
      #expect(
        !SourceURL.hasBlank(encoded) && encoded.utf8.allSatisfy { $0 < 0x80 },
        "\(text.debugDescription)")
      #expect(SourceURL.encoded(encoded) == encoded)
      #expect(SourceURL.hostAsWritten(of: encoded) == "h")
      #expect(
        !SourceURL.encoded("https://h\(text)/").utf8.contains { [0x0A, 0x0D, 0x09].contains($0) })
    }
  }

  /// A host that has a control character is a mistake, and never requested.
  @Test func aBlankInAHostIsFound() {
    for value in UInt32(0)...0x80 {
      let character = Character(Unicode.Scalar(UInt8(value)))
      let url = SourceURL.encoded("https://h\(character)i/")
      #expect(
        SourceURL.hasBlank(url)
          == ((value <= 0x20 || value == 0x7F) && ![9, 10, 13].contains(value)), "\(value)")
    }
    #expect(!SourceURL.hasBlank("data:,a b") && SourceURL.hasBlank("data:,a\nb"))
  }
}
