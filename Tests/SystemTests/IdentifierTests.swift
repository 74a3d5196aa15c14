import TesseraTestSupport
import TesseraText
import Testing

/// Texts that are compared by their bytes.
@Suite struct IdentifierTests {
  /// Pairs that are equal as strings, and pairs that people take for equal.
  private static let twins: [(String, String)] = [
    ("caf\u{E9}", "cafe\u{301}"), ("\u{212A}", "K"), ("\u{2126}", "\u{3A9}"),
    ("\u{212B}", "\u{C5}"),
    ("\u{AC00}", "\u{1100}\u{1161}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"), (";", "\u{37E}"),
    ("\u{FB01}", "fi"), ("A", "a"), ("\u{3C3}", "\u{3C2}"), ("a", "a\u{200B}"), ("", "\u{0}"),
  ]

  @Test(.faults(.x3)) func twinsAreTwo() {
    #expect(Self.twins.count { $0 == $1 } == 7)
    for (one, other) in Self.twins {
      #expect(Identifier(one) != Identifier(other) && !one.isSame(as: other), "\(one)")
      #expect(Identifier(one) == Identifier(one) && one.isSame(as: one))
      #expect(Set<Identifier>(of: [one, other, one]).count == 2)
      #expect((Identifier(one) < Identifier(other)) != (Identifier(other) < Identifier(one)))
      var values: [Identifier: Int] = [Identifier(one): 1]
      values[other] = 2
      values[one, default: 0] += 2
      #expect(values[one] == 3 && values[other] == 2 && values.count == 2)
      #expect(Set<Identifier>(of: [one]).contains(one))
      #expect(!Set<Identifier>(of: [one]).contains(other))
      #expect(!"\(other)/a".begins(with: "\(one)/"))
      #expect("\(one)/a".begins(with: "\(one)/"))
    }
  }

  /// A combining mark joins the character before it, so that a string does not begin with that.
  @Test func prefixesAreBytes() {
    #expect("/\u{301}".begins(with: "/") && !"/\u{301}".hasPrefix("/"))
    #expect("abc".begins(with: "") && !"".begins(with: "a"))
    #expect("abc".dropFirst().begins(with: "b") && "abc".dropFirst().isSame(as: "bc"))
  }

  @Test func theOrderIsThatOfTheBytes() {
    let texts = ["cafe\u{301}", "caf\u{E9}", "\u{FF21}", "\u{1F600}", "b", "B", "caf", "cafz"]
    let sorted = ["B", "b", "caf", "cafe\u{301}", "cafz", "caf\u{E9}", "\u{FF21}", "\u{1F600}"]
    for texts in [texts, texts.reversed()] {
      #expect(texts.inByteOrder().map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
      #expect(
        Set<Identifier>(of: texts).texts.map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
      #expect(Set<Identifier>(of: texts).min()?.text == "B")
    }
    #expect(Identifier(String?.none) == nil && Identifier(String?("a")) == "a")
  }

  /// A file is shown from the folder that has its bytes.
  @Test func foldersOfShownFilesAreBytes() {
    let shown = ShownURLs(below: ["/srv/caf\u{E9}"])
    #expect(shown("file:///srv/caf%C3%A9/a.jpg") == "a.jpg")
    #expect(shown("file:///srv/caf%C3%A9/b/a.jpg") == "b/a.jpg")
    #expect(shown("file:///srv/cafe%CC%81/b/a.jpg") == "a.jpg")
  }

  /// What an id of a list shows: a URL loses its secrets, and other texts stay.
  @Test(.faults(.p8)) func idsAreShownAsURLsAre() {
    let shown = ShownURLs(ignoring: ["v"], below: ["/srv"])
    for (text, id) in [
      ("https://bob:hunter2@a.example/p?X-Amz-Signature=beef&x=1", "https://a.example/p?x=1"),
      ("https://a.example/p/2?token=T&sig=S#access_token=U", "https://a.example/p/2"),
      ("https:/bob:pw@a.example/p", "https:/a.example/p"),
      ("//bob:pw@a.example/p", "//a.example/p"),
      ("ftp://bob:pw@a.example/p", "ftp://a.example/p"),
      (" https://b:p@a.example/", " https://a.example/"),
      ("/p/2?token=T&page=2", "/p/2?page=2"), ("?token=T", ""), ("p;jsessionid=S/q", "p/q"),
      (
        "https://a.example/r?to=https%3A%2F%2Fb%3Ac%40x%2F%3Ftoken%3DT",
        "https://a.example/r?to=https%3A%2F%2Fx%2F"
      ),
      ("file:///srv/a/b.jpg", "a/b.jpg"), ("file:///home/bob/b.jpg", "b.jpg"),
      ("data:image/png;base64,AAAA", "data:image/png;base64,"),
      ("https://a.example/?v=2&w=3", "https://a.example/?w=3"),
      // No URL with a place for a password.
      ("tag:bob@a.example,2005:1", "tag:bob@a.example,2005:1"),
      ("mailto:bob@a.example", "mailto:bob@a.example"),
      ("urn:uuid:1225c695", "urn:uuid:1225c695"), ("SKU-1/2;b=3", "SKU-1/2;b=3"),
      ("cafe\u{301}", "cafe\u{301}"),
      // Titles, and words with a colon.
      ("File:A/B 1.jpg", "File:A/B 1.jpg"), ("data:1001", "data:1001"),
      (#"https:\\bob:pw@a.example\b"#, "https://a.example/b"),
      ("a:b@c", "a:b@c"), ("#1", "#1"), ("", ""),
    ] {
      #expect(Array(shown.id(text).utf8) == Array(id.utf8), "\(text): \(shown.id(text))")
      #expect(shown.id(shown.id(text)).isSame(as: shown.id(text)), "\(text)")
    }
  }
}
