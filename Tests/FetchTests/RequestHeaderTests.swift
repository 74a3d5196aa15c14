import TesseraText
import Testing

@testable import TesseraNet

/// Which hosts receive configured headers.
@Suite struct RequestHeaderTests {
  @Test(arguments: [
    (nil, "https://a.example/x", true), (nil, "http://b.example:8080/x", true),
    ("a.example", "https://a.example/x", true), ("a.example", "http://a.example/x", true),
    ("a.example", "https://A.Example:443/x", true), ("a.example", "http://a.example:443/x", false),
    ("a.example", "https://u:p@a.example/x", true),
    ("a.example", "https://a.example:8443/x", false),
    ("a.example:8443", "https://a.example:8443/x", true),
    ("a.example:8443", "https://a.example/x", false),
    // With the port of https, a header is not sent over http.
    ("a.example:443", "https://a.example/x", true), ("a.example:443", "http://a.example/x", false),
    ("a.example:443", "http://a.example:443/x", false),
    ("[::1]:8080", "http://[::1]:8080/x", true), ("[::1]", "http://[::1]/x", true),
    // Exactly the host: no other one that looks like it.
    ("a.example", "https://a.example.evil.example/x", false),
    ("a.example", "https://evil.example/a.example", false),
    ("a.example", "https://b.a.example/x", false), ("a.example", "https://aXexample/x", false),
    ("a.example", "https://a.example@evil.example/x", false),
    ("a.example", "https://evil.example#@a.example/", false),
    ("a.example", "https://evil.example?@a.example/", false),
    ("a.example", "https://a.example\\@evil.example/x", false),
    ("a.example", "https://a.example%2eevil.example/x", false),
    ("a.example", "https://evil.example\\a.example/x", false),
  ])
  func goesToItsHostOnly(_ host: String?, _ url: String, _ isSent: Bool) {
    #expect(RequestHeader(name: "X-Key", value: "k", host: host).isFor(Origin(url)) == isSent)
  }

  @Test(arguments: [
    (["http://a/1", "https://A:443/2", "http://u@a:80/3"], [nil, nil, nil]),
    (["http://a/1", "file:///b", "data:,c", "nonsense", "http://a/2"], [nil, nil, nil, nil, nil]),
    (["data:,c", "http://a/1", "http://b/2", "http://a/3"], [nil, nil, "b", nil]),
    (["http://a/1", "http://a:8080/2"], [nil, "a:8080"]),
    (["http://a/1", "http://a\\@b/2"], [nil, "b"]),
  ])
  func findsTheSecondHost(_ urls: [String], _ expected: [String?]) {
    var hosts = SingleHost()
    #expect(urls.map { hosts.other(in: $0) } == expected)
    #expect(hosts.first == "a")
  }
}
