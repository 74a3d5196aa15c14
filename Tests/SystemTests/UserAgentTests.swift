import Testing

@testable import TesseraText

/// Whether a User-Agent names a contact.
@Suite struct UserAgentTests {
  @Test(
    arguments: [
      (UserAgent.standard, .missing), ("", .missing), ("Bot/1 (contact us)", .missing),
      ("Bot/1 (+https://bot.shop.de/about)", nil), ("Bot/1 (http://shop.de)", nil),
      ("Bot/1 (www.shop.de)", nil), ("Bot/1 (images@shop.de)", nil), ("a@b", .missing),
      ("Bot/1 (+https://example.com/contact)", .example),
      ("Bot (+https://WWW.Example.ORG/)", .example),
      ("Bot (me@example.net)", .example), ("Bot (+https://shop.example)", .example),
      ("Bot (+https://h.test:80/, +https://shop.de)", nil), ("Bot (+https://notexample.com)", nil),
      ("Bot/1 (+https://localhost/)", .missing), ("Bot (@images)", .missing),
    ] as [(String, UserAgent.Gap?)])
  func aContactIsAURLOrAnAddress(_ text: String, _ gap: UserAgent.Gap?) {
    #expect(UserAgent.gap(in: text) == gap)
  }

  @Test func aGapSaysWhatToDo() {
    let remedy =
      "servers may block such requests: name yours in \"fetch\", such as user-agent: "
      + "\"Tessera/0.1 (+https://your.site/bot)\""
    #expect(UserAgent.Gap.missing.clause == "the requests name no contact; " + remedy)
    #expect(
      UserAgent.Gap.example.clause
        == "the contact in \"user-agent\" is only an example; " + remedy)
  }
}
