import TesseraNet
import Testing

/// References in a manifest with a base, and in Location headers.
@Suite struct URLReferenceTests {
  /// The examples of RFC 3986, section 5.4, with the base that they share.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
    ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
  ])
  func resolvesTheExamplesOfRFC3986(_ reference: String, _ expected: String) {
    #expect(URLReference.resolve(reference, against: "http://a/b/c/d;p?q") == expected)
  }

  @Test(arguments: ["https://b/x", "https://b/../é x", "ftp:x", "data:,a", "HTTP://B"])
  func returnsAbsoluteURLsUnchanged(_ url: String) {
    #expect(URLReference.resolve(url, against: "http://a/b/c/d;p?q") == url)
  }

  /// What libcurl normalizes: "/" for an empty path, no empty query or fragment, and ASCII only.
  @Test(arguments: [
    ("//g", "http://g/"), ("//g:80/x", "http://g:80/x"), ("g?", "http://a/b/c/g"),
    ("g#", "http://a/b/c/g"), ("é/p.jpg", "http://a/b/c/%c3%a9/p.jpg"),
    ("a%2Fb%c3", "http://a/b/c/a%2Fb%c3"), ("a|b[]{}^`", "http://a/b/c/a|b[]{}^`"),
    ("1:2.jpg", "http://a/b/c/1:2.jpg"), ("./x:y", "http://a/b/c/x:y"),
  ])
  func normalizesTheResult(_ reference: String, _ expected: String) {
    #expect(URLReference.resolve(reference, against: "http://a/b/c/d;p?q") == expected)
  }

  @Test(arguments: [
    ("p.jpg", "https://example.com", "https://example.com/p.jpg"),
    ("?x=1", "https://example.com", "https://example.com/?x=1"),
    ("p.jpg", "https://example.com/images", "https://example.com/p.jpg"),
    ("p.jpg", "https://u:p@Example.com:443/x/?q#f", "https://u:p@Example.com:443/x/p.jpg"),
    ("", "https://example.com/x?q#f", "https://example.com/x?q"),
    ("p.jpg", "file:///srv/a/", "file:///srv/a/p.jpg"),
    ("/x/p.jpg", "file:///srv/", "file:///x/p.jpg"),
  ])
  func resolvesAgainstEveryKindOfBase(
    _ reference: String, _ base: String, _ expected: String
  ) {
    #expect(URLReference.resolve(reference, against: base) == expected)
  }

  @Test func returnsNilForWhatCannotBeAURL() {
    #expect(URLReference.resolve("p.jpg", against: "not a URL") == nil)
    #expect(URLReference.resolve("a\nb", against: "http://a/") == nil)
  }
}
