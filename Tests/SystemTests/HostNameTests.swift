import TesseraNet
import TesseraTestSupport
import Testing

/// One host has one name, whatever it is written as.
@Suite struct HostNameTests {
  /// Spellings of a host, and its name.
  @Test(
    .faults(.x2),
    arguments: [
      (
        "a.example A.Example a.example. a。example ａ．example a%2Eexample a.exam\u{AD}ple",
        "a.example"
      ),
      (
        "bücher.example BÜCHER.example xn--bcher-kva.example b%C3%BCcher.example bu\u{308}cher.example",
        "xn--bcher-kva.example"
      ),
      (
        "127.0.0.1 127.0.0.1. ①②⑦.⓪.⓪.① 127。0。0。1 2130706433 0x7f.1 0x7F000001 0177.0.0.01 127.1 0x７f.1 %31%32%37.1",
        "127.0.0.1"
      ),
      ("[::ffff:127.0.0.1] [::FFFF:7f00:1] [0:0:0:0:0:ffff:7f00:1]", "127.0.0.1"),
      ("[::1] [0:0::1] [0:0:0:0:0:0:0:1]", "[::1]"), ("[FE80::A] [fe80:0::a]", "[fe80::a]"),
      ("localhost LOCALHOST localhost. ｌｏｃａｌｈｏｓｔ ⓛocalhost", "localhost"),
      ("\u{212A}.example k.example", "k.example"), ("ﬁ.example fi.example", "fi.example"),
      ("faß.example xn--fa-hia.example", "xn--fa-hia.example"), ("a_b A_B", "a_b"),
      ("1.2.3.4.5", "1.2.3.4.5"), ("256.0.0.1", "256.0.0.1"), ("1and1.example", "1and1.example"),
      ("a.example:80 a/b u@a ?a #a a\\\\b", ""), ("a\u{7F}b [::1 [x] ü\u{FFFD}", ""),
    ])
  func allSpellingsAreOneHost(_ spellings: String, _ name: String) {
    for written in spellings.split(separator: " ") {
      #expect(HostName(String(written)).text == name, "\(written)")
      guard !name.isEmpty else { continue }
      #expect(Origin("http://\(written):81/a").authority == "\(name):81", "\(written)")
      #expect(HostName.withPort("\(written):81") == "\(name):81", "\(written)")
      // The name of a name is itself, and libcurl is given it.
      #expect(HostName(name).text == name)
      let requested = CurlURL.requested("https://u:p@\(written)/a?b=%20#c") ?? ""
      #expect(CurlURL(requested)?[.url] == "https://u:p@\(name)/a?b=%20#c", "\(written)")
    }
  }

  /// What cannot be a host is not requested; what is not a URL is left to libcurl.
  @Test func aHostThatCannotBeMappedIsNotRequested() {
    #expect(CurlURL.requested("http://ü\u{FFFD}/a") == nil)
    // What some proxies would decode once more, to another host.
    for host in ["127.0.0.%2531", "127.0.0.\u{FF05}31", "localhos%2574"] {
      #expect(CurlURL.requested("https://\(host)/") == nil, "\(host)")
    }
    for text in ["", "nonsense", "file:///a", "http://a b/"] {
      #expect(CurlURL.requested(text) == text)
    }
  }

  /// A proxy resolves names by itself: those that lead to its own machine, or to the cloud's metadata, are known.
  @Test func namesOfForbiddenAddressesAreKnown() {
    for (name, address) in [
      ("localhost", "127.0.0.1"), ("a.localhost", "127.0.0.1"), ("IP6-localhost.", "127.0.0.1"),
      ("localhost6.localdomain6", "127.0.0.1"), ("metadata.google.internal", "169.254.169.254"),
    ] { #expect(HostName(name).address == IPAddress(address), "\(name)") }
    #expect(HostName("metadata.example").address == nil)
  }

  /// The quick look agrees with the whole reading.
  @Test func plainNamesAreTheirOwn() {
    for (text, isPlain) in [
      ("a.example", true), ("a-b.example", true), ("1and1.example", true), ("a", true),
      ("a.example.", false), ("A.example", false), ("a.1", false), ("a.0x1", false), ("1", false),
      ("ü", false), ("", false), (".", false), ("a:80", false), ("[::1]", false),
    ] {
      #expect(HostName.isPlain(text.utf8) == isPlain, "\(text)")
      if isPlain { #expect(CurlURL("http://\(text)/")?[.asciiHost] == text) }
    }
  }
}
