import Testing

@testable import TesseraNet

/// Which requests go through which proxy.
@Suite struct ProxySettingsTests {
  /// Variables, and the proxies of http and https.
  @Test(
    arguments: [
      ("", nil, nil), ("http_proxy=a", "a", nil), ("https_proxy=a", nil, "a"),
      ("all_proxy=c", "c", "c"), ("ALL_PROXY=c", "c", "c"), ("all_proxy=b ALL_PROXY=c", "b", "b"),
      ("all_proxy= ALL_PROXY=c", "c", "c"), ("http_proxy=a all_proxy=c", "a", "c"),
      ("https_proxy=a all_proxy=c", "c", "a"), ("https_proxy=a HTTPS_PROXY=b", nil, "a"),
      ("HTTPS_PROXY=b", nil, "b"), ("https_proxy= HTTPS_PROXY=b", nil, "b"),
      // A CGI server sets it from a header of the request.
      ("HTTP_PROXY=a", nil, nil), ("http_proxy= all_proxy=c", "c", "c"),
    ] as [(String, String?, String?)])
  func theFirstVariableWithAValueCounts(_ variables: String, _ http: String?, _ https: String?) {
    let settings = Self.settings(variables)
    #expect(settings.proxy(for: Origin("http://a.example/")) == http)
    #expect(settings.proxy(for: Origin("https://a.example/")) == https)
    #expect(settings.proxy(for: Origin("ftp://a.example/")) == nil)
    #expect(settings.isEmpty == (http == nil && https == nil))
  }

  private static func settings(_ variables: String) -> ProxySettings {
    ProxySettings { name in
      variables.split(separator: " ").first { $0.hasPrefix("\(name)=") }
        .map { String($0.dropFirst(name.count + 1)) }
    }
  }

  /// A list of exceptions, a host, and whether it needs no proxy.
  @Test(arguments: [
    ("*", "a.example", true), ("x,*", "a.example", true), ("**", "a.example", false),
    ("a.example", "a.example", true), ("A.Example", "a.example", true),
    (".a.example", "a.example", true), (".a.example", "b.a.example", true),
    ("a.example", "b.a.example", true), ("a.example", "ba.example", false),
    ("b.a.example", "a.example", false), ("x y,a.example", "a.example", true),
    ("x,y a.example", "a.example", true), ("x,,y", "a.example", false),
    ("10.0.0.0/8", "10.9.9.9", true), ("10.0.0.0/8", "11.0.0.1", false),
    ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.11", false),
    ("0.0.1", "10.0.0.1", false), (".1", "10.0.0.1", false), ("::1", "[::1]", true),
    ("[::1]", "[::1]", false), ("fd00::/8", "[fd12::1]", true), ("fd00::/8", "10.0.0.1", false),
    ("10.0.0.0/8", "a.example", false), ("", "a.example", false),
  ])
  func exceptionsNeedNoProxy(_ list: String, _ host: String, _ isException: Bool) {
    for name in ["no_proxy", "NO_PROXY"] {
      let settings = ProxySettings { ["all_proxy": "p", name: list][$0] }
      let proxy = settings.proxy(for: Origin("http://\(host)/"))
      #expect(proxy == (isException ? nil : "p"), "\(name)")
    }
  }

  @Test func withoutVariablesThereIsNoProxy() {
    #expect(ProxySettings().isEmpty)
    #expect(ProxySettings() == ProxySettings { _ in nil })
    #expect(ProxySettings().proxy(for: Origin("http://h/")) == nil)
    let lower = ProxySettings { ["all_proxy": "p", "no_proxy": "a", "NO_PROXY": "b"][$0] }
    #expect(lower == ProxySettings { ["all_proxy": "p", "no_proxy": "a"][$0] })
  }
}
