import TesseraTestSupport
import Testing

@testable import TesseraText

/// The parts of URLs that decide what is requested and what is shown.
@Suite struct SourceURLTests {
  @Test(
    arguments: [
      ("http://h", "http"), ("HTTPS:x", "https"), ("a+b-c.1:x", "a+b-c.1"), ("a:", "a"),
      ("z9:x", "z9"), ("1a:x", nil), ("+a:x", nil), ("-:x", nil), (".a:x", nil), (":x", nil),
      ("a b:x", nil), ("a/b:x", nil), ("é:x", nil), ("a_b:x", nil), ("x", nil), ("", nil),
    ] as [(String, String?)])
  func aSchemeBeginsWithALetter(_ url: String, _ scheme: String?) {
    #expect(SourceURL.scheme(of: url) == scheme)
  }

  /// A URL, its host, and whether it can be requested by HTTP, or be in a manifest.
  @Test(arguments: [
    ("http://h/a", "h", true, true), ("https://H:8080?x", "h:8080", true, true),
    ("http://u:p@h#x", "h", true, true), ("http://a@b@h\\x", "h", true, true),
    ("http://h\\@e/x", "h", true, true), ("http://h?@e", "h", true, true),
    ("http:///a", "", false, false), ("http://", "", false, false),
    ("http://u@/a", "", false, false),
    ("http:/h/a", "", false, false), ("http:h", "", false, false), ("h/a", "", false, false),
    ("ftp://h/a", "h", false, false), ("file:///a", "", false, true), ("data:,a", "", false, true),
    ("FILE:a", "", false, true), ("s3://b/k", "b", false, true), ("s3:///k", "", false, false),
    ("s3:b", "", false, false), ("files:///a", "", false, false),
  ])
  func theHostFollowsTwoSlashes(
    _ url: String, _ host: String, _ isFetchable: Bool, _ isSource: Bool
  ) {
    #expect(SourceURL.hostAsWritten(of: url) == host)
    #expect(SourceURL.isFetchable(url) == isFetchable)
    #expect(SourceURL.isSource(url) == isSource)
  }

  /// Also where the URL is malformed: its password must not be shown.
  @Test(arguments: [
    ("http://u:p@h/a@b", "http://h/a@b"), ("http://u:p@q@h?x@y", "http://h?x@y"),
    ("http:/u:p@h/a", "http:/h/a"), ("http:////u@h#@", "http:////h#@"), ("http:u@h", "http:h"),
    ("http://h/u@x", "http://h/u@x"), ("http:///", "http:///"), ("u@h", "u@h"),
    ("http://h\\u@x", "http://h\\u@x"),
  ])
  func userAndPasswordAreLeftOut(_ url: String, _ expected: String) {
    #expect(SourceURL.withoutUserInfo(url) == expected)
  }

  /// The names of ignored parameters are compared as written.
  @Test(arguments: [
    ("http://h/a?x=1&drop=2&y#f", "http://h/a?x=1&y"), ("http://h/a?drop", "http://h/a"),
    ("http://h/a?drop=1&", "http://h/a"), ("http://h/a?Drop=1", "http://h/a?Drop=1"),
    ("http://h/a?dro%70=1", "http://h/a?dro%70=1"), ("http://h/a?drops=1", "http://h/a?drops=1"),
    ("http://h/a?x=drop", "http://h/a?x=drop"), ("http://h/a?old=1&x=2#?drop=1", "http://h/a?x=2"),
    ("http://h/a#?drop=1", "http://h/a"), ("http://h/a", "http://h/a"),
  ])
  func whatIsRequestedHasNoIgnoredParameters(_ url: String, _ expected: String) {
    #expect(SourceURL.request(url, ignoring: ["drop", "old"]) == expected)
    #expect(SourceURL.cacheKey(url, ignoring: ["drop", "old"]) == expected)
    #expect(SourceURL.request(url) == url.split(separator: "#")[0])
  }

  @Test(arguments: [
    ("http://h/a;jsessionid=1;v=2/b;sid=3", "http://h/a;v=2/b"), ("http://h/a;b", "http://h/a;b"),
    ("http://h/a;b?x=;sid=1", "http://h/a;b?x=;sid=1"), ("http://h/a#;sid=1", "http://h/a#;sid=1"),
    ("http://h/pass/a?w=1;h=2", "http://h/pass/a?w=1;h=2"),
    ("http://s.id/x?a;b", "http://s.id/x?a;b"), ("http://h/token/a#x;y", "http://h/token/a#x;y"),
    // Names of segments are not parameters.
    ("http://h/auth/a;v=1;sid=2", "http://h/auth/a;v=1"), ("http://h/sid;v=1", "http://h/sid;v=1"),
    ("http://h/sid;sid=1", "http://h/sid"), ("http://h/a;/;sid=1;/b", "http://h/a;/;/b"),
    ("http://h/a#;sid", "http://h/a#;sid"), ("http://h//a;sid=1//", "http://h//a//"),
    ("http://h/a#token=1", "http://h/a"), ("http://h/a#token", "http://h/a#token"),
    ("http://h/a#x=1&token=2&y", "http://h/a#x=1&y"), ("http://h/a?token=1#x=2", "http://h/a#x=2"),
    ("http://h/?x=1&x=2&token=3&x=2", "http://h/?x=1&x=2&x=2"),
  ])
  func tokensAreLeftOutOfPathsQueriesAndFragments(_ url: String, _ expected: String) {
    #expect(SourceURL.shown(url, ignoring: []) == expected)
  }

  /// URLs within URLs, three levels deep.
  @Test func secretsOfURLsWithinURLsAreLeftOut() {
    func nested(_ depth: Int) -> (with: String, without: String) {
      (0..<depth).reduce(("http://h/?token=1&a=2", "http://h/?a=2")) { inner, _ in
        (
          "http://h/?u=\(PercentEncoding.encode(inner.0))&b",
          "http://h/?u=\(PercentEncoding.encode(inner.1))&b"
        )
      }
    }
    expectMost(3) { SourceURL.shown(nested($0).with, ignoring: []) == nested($0).without }
    #expect(SourceURL.shown(nested(4).with, ignoring: []) == nested(4).with)
    for (url, expected) in [
      ("http://h/?u=http://u:p@i/a&v=1#x", "http://h/?u=http%3A%2F%2Fi%2Fa&v=1#x"),
      ("http://h/?u=http%3a%2f%2fi%3Ftoken%3D1", "http://h/?u=http%3A%2F%2Fi"),
      // Without a secret, a parameter stays as it is written; so does what is not UTF-8.
      (
        "http://h/?u=http://i/a%20b&v=http%3a%2f%2fi", "http://h/?u=http://i/a%20b&v=http%3a%2f%2fi"
      ),
      ("http://h/?u=http://i/%FF?token=1", "http://h/?u=http://i/%FF?token=1"),
      ("http://h/?u=http://i/%4?token=1", "http://h/?u=http://i/%4?token=1"),
    ] {
      #expect(SourceURL.shown(url, ignoring: []) == expected)
    }
  }

  @Test(arguments: [
    ("data:image/png;base64,AAAA", "data:image/png;base64,"), ("data:AAAA", "data:"),
    ("file:///srv/images/a%20b.jpg", "a%20b.jpg"), ("file:///srv/images-2/a.jpg?x#y", "a.jpg"),
    ("file://localhost/srv/img/c/a.jpg#x", "c/a.jpg"), ("file:/srv/img//c/a%3F", "c/a%3F"),
    ("file:///srv/img/a%4", "a%254"), ("file:///", ""), ("file:", ""),
    ("http://u:p@h/?drop=1&a=2&token=3", "http://h/?a=2"),
  ])
  func everythingThatIsShownHidesTheMachine(_ url: String, _ expected: String) {
    let shown = ShownURLs(ignoring: ["drop"], below: ["/srv/img", "/srv/images/"])
    #expect(shown(url) == expected)
  }

  @Test(arguments: [
    ("http://h/a?token=1", true), ("http://u@h/a", true), ("http://h/a?x=1", false),
    ("data:,token=1", false), ("file:///a?token=1", false), ("http://h/#token=1", true),
  ])
  func onlyURLsOfServersHaveSecrets(_ url: String, _ hasSecret: Bool) {
    #expect(SourceURL.hasSecret(url) == hasSecret)
  }

  /// Redirects to two signed URLs lead to one place.
  @Test func aPlaceHasNeitherFragmentNorSecret() {
    for signature in ["1", "2"] {
      #expect(
        SourceURL.place("http://u@h/a?sig=\(signature)&sv=3&v=4&drop=5#x", ignoring: ["drop"])
          == "http://h/a?v=4")
    }
  }

  /// RFC 3986, section 5.4, and bases that are relative themselves.
  @Test(
    .faults(.m23),
    arguments: [
      ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
      ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"),
      (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
      ("../", "http://a/b/"),
      ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
      ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./g/.", "http://a/b/c/g/"),
      ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
  func referencesAreResolved(_ reference: String, _ url: String) {
    #expect(SourceURL.resolve(reference, against: "http://a/b/c/d;p?q") == url)
  }

  @Test(arguments: [
    ("g", "", "g"), ("g", "b/c", "b/g"), ("../g", "/b/c/", "/b/g"), ("/g", "b", "/g"),
    ("g", "http://a", "http://a/g"), ("?y", "http://a", "http://a?y"),
    ("b c", "http://a/é/", "http://a/é/b c"),
  ])
  func basesMayBeRelative(_ reference: String, _ base: String, _ result: String) {
    #expect(SourceURL.resolve(reference, against: base) == result)
  }
}
