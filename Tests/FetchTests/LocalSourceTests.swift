import Foundation
import Synchronization
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraNet

private final class Sink: BodyReceiving {
  let bytes = Mutex<[UInt8]>([])

  func receive(_ more: RawSpan) -> BodyVerdict {
    let copy = more.withUnsafeBytes { Array($0) }
    bytes.withLock { $0 += copy }
    return .more
  }
}

@Suite struct LocalSourceTests {
  private static func fetch(
    _ url: String, folders: [String] = [], validators: Validators? = nil, maximum: Int = 1000
  ) async throws -> (Result<FetchResponse, FetchError>, String) {
    var settings = FetchSettings(maximumBytes: maximum)
    settings.folders = folders
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    let sink = Sink()
    let answer = await fetcher.fetch(
      FetchRequest(
        url: url, condition: Condition(validators, at: url), deadline: .seconds(20)), host: "",
      into: sink)
    #expect(answer.requests == 0)
    return (answer.result, String(decoding: sink.bytes.withLock(\.self), as: UTF8.self))
  }

  @Test(arguments: [
    ("data:,hello%20there", "hello there"), ("data:text/plain,a", "a"),
    ("data:image/png;base64,aGVsbG8=", "hello"), ("DATA:;BASE64,aGVsbG8", "hello"),
    ("data:;base64,aGVs%62G8%3D", "hello"), ("data:,a#fragment", "a"),
  ])
  func readsDataURLs(_ url: String, _ expected: String) async throws {
    let (result, text) = try await Self.fetch(url)
    #expect(text == expected)
    #expect(try result.get().freshness == .seconds(31_536_000))
  }

  @Test(arguments: ["data:hello", "data:;base64,a", "data:;base64,!!!!", "data:,%4", "data:,%zz"])
  func rejectsMalformedDataURLs(_ url: String) async throws {
    guard case .failure(let error) = try await Self.fetch(url).0 else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .badURL)
  }

  @Test func readsFilesInAllowedFoldersOnly() async throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    try folder.write("inside", to: "in side.txt")
    try outside.write("secret", to: "secret.txt")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.txt"), withDestinationPath: outside.path("secret.txt"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("out"), withDestinationPath: outside.path(""))
    mkfifo(folder.path("pipe"), 0o600)
    let root = folder.path("")
    let url = "file://" + root + "/in%20side.txt"
    let (result, text) = try await Self.fetch(url, folders: [root])
    #expect(text == "inside")
    let validators = try result.get().validators
    // An unchanged file is not read again.
    guard
      case .notModified = try await Self.fetch(
        url, folders: [root], validators: validators
      ).0.get().ending
    else {
      Issue.record("it was read again")
      return
    }
    try folder.write("inside!", to: "in side.txt")
    #expect(try await Self.fetch(url, folders: [root], validators: validators).1 == "inside!")
    #expect(
      try await Self.fetch("file://localhost" + root + "/in%20side.txt", folders: [root]).1 != "")

    func code(_ url: String, _ folders: [String] = [root]) async throws -> String {
      guard case .failure(let error) = try await Self.fetch(url, folders: folders, maximum: 6).0
      else { return "read" }
      #expect(!error.isRetryable)
      #expect(!error.message.contains(root))
      return error.code.rawValue
    }
    #expect(try await code(url, []) == "address-rejected")
    #expect(try await code(url) == "too-large")
    #expect(try await code("file://" + outside.path("secret.txt")) == "address-rejected")
    #expect(try await code("file://" + root + "/link.txt") == "symlink")
    #expect(try await code("file://" + root + "/out/secret.txt") == "symlink")
    #expect(try await code("file://" + root + "/../../etc/passwd") == "address-rejected")
    #expect(try await code("file:///etc/passwd") == "address-rejected")
    #expect(try await code("file://" + root + "/pipe") == "not-readable")
    #expect(try await code("file://" + root + "/") == "address-rejected")
    #expect(try await code("file://" + root + "/none") == "not-found")
    // The error does not show whether a file outside exists.
    #expect(try await code("file://" + outside.path("none")) == "address-rejected")
    #expect(try await code("file:///dev/tty") == "address-rejected")
    #expect(try await code("file:///no/such/folder/a") == "address-rejected")
    #expect(try await code("file://" + root + "/a%00b") == "bad-url")
    #expect(try await code("file://example.com" + root + "/in%20side.txt") == "bad-url")
    // A folder does not allow another one whose name begins with its name.
    #expect(try await code(url, [String(root.dropLast(2))]) == "address-rejected")
  }

  /// A folder whose name is equal in Unicode is another folder, as a file system has it.
  @Test(
    .faults(.x3),
    arguments: [
      ("caf\u{E9}", "cafe\u{301}"), ("cafe\u{301}", "caf\u{E9}"), ("K", "\u{212A}"), ("a", "A"),
    ])
  func aTwinOfAnAllowedFolderIsNotAllowed(_ allowed: String, _ twin: String) async throws {
    let folder = try TemporaryFolder()
    for name in [allowed, twin] { try folder.write("of \(name)", to: "\(name)/a.txt") }
    let folders = [folder.path(allowed)]
    func url(_ name: String) -> String {
      "file://" + PercentEncoding.encode(folder.path("\(name)/a.txt"), keeping: "/")
    }
    #expect(try await Self.fetch(url(allowed), folders: folders).1 == "of \(allowed)")
    for path in [twin, "\(allowed)/../\(twin)"] {
      guard case .failure(let error) = try await Self.fetch(url(path), folders: folders).0 else {
        Issue.record("\(path) was read")
        continue
      }
      #expect(error.code.rawValue == "address-rejected", "\(path)")
    }
  }
}

@Suite struct ProxyTests {
  private static func settings(_ variables: [String: String]) -> ProxySettings {
    ProxySettings { variables[$0] }
  }

  /// Variables, a URL, and its proxy.
  @Test(arguments: [
    "http_proxy=P | http://a.example/ | P",
    "HTTP_PROXY=P | http://a.example/ |",
    "http_proxy=P | https://a.example/ |",
    "HTTPS_PROXY=P | https://a.example/ | P",
    "all_proxy=P | https://a.example/ | P",
    "all_proxy=P no_proxy=* | https://a.example/ |",
    "all_proxy=P no_proxy=x,a.example | https://a.example/ |",
    "all_proxy=P no_proxy=.Example | https://a.example/ |",
    "all_proxy=P no_proxy=ample | https://a.example/ | P",
    "all_proxy=P no_proxy=10.0.0.0/8 | http://10.1.2.3/ |",
    "all_proxy=P no_proxy=10.1.2.3 | http://10.1.2.3:8080/ |",
    "all_proxy=P no_proxy=::1 | http://[::1]:8080/ |",
    "  | http://a.example/ |",
  ])
  func readsProxiesFromTheEnvironment(_ row: String) {
    let columns = row.split(separator: "|", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    var variables: [String: String] = [:]
    for pair in columns[0].split(separator: " ") {
      let parts = pair.split(separator: "=").map(String.init)
      variables[parts[0]] = parts[1]
    }
    let proxy = Self.settings(variables).proxy(for: Origin(columns[1]))
    #expect(proxy ?? "" == columns[2])
  }

  /// With CONNECT, only the source's own response counts, not the proxy's.
  @Test func ignoresTheProxysResponseToCONNECT() async throws {
    let server = try FaultServer(["/": { $1.respond("404 Not Found") }])
    let proxy = try FaultServer([
      "secure.example:443": { _, connection in
        connection.send("HTTP/1.1 200 Connection established\r\n\r\n")
        // No TLS follows: the handshake fails, and no response has arrived.
        connection.send("HTTP/1.1 404 Not Found\r\n\r\n")
      },
      "closed.example:443": { $1.respond("407 Proxy Authentication Required") },
    ])
    defer {
      server.stop()
      proxy.stop()
    }
    var settings = FetchSettings(timeout: .seconds(10))
    settings.proxies = Self.settings(["https_proxy": proxy.url("")])
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    for (host, code) in [("secure.example", "tls"), ("closed.example", "network")] {
      let answer = await fetcher.fetch(
        FetchRequest(url: "https://\(host)/", deadline: .seconds(20)), host: host, into: Sink())
      guard case .failure(let error) = answer.result else {
        Issue.record("\(host) did not fail")
        continue
      }
      #expect(error.code.rawValue == code, "\(error.message)")
      #expect(answer.begun == nil)
      if code == "network" { #expect(error.message.contains("proxy"), "\(error.message)") }
    }
  }

  @Test func reportsMissingCertificatesAtOnce() throws {
    var settings = FetchSettings()
    settings.certificates = "/nowhere/ca.pem"
    do {
      _ = try Fetcher(settings)
      Issue.record("no error")
    } catch {
      #expect("\(error)".contains("(SSL_CERT_FILE) in \"/nowhere/ca.pem\""), "\(error)")
    }
  }

  /// A proxy receives the whole URL. A host that is spelled as an address is checked first.
  @Test(.faults(.x2)) func checksSpelledAddressesBeforeTheProxyIsUsed() async throws {
    let proxy = try FaultServer([
      "http://images.example/a": { $1.respond("200 OK", [:], Array("through".utf8)) },
      "http://images.example/away": {
        $1.respond("302 Found", ["Location": "http://169.254.169.254/latest"])
      },
    ])
    defer { proxy.stop() }
    func fetch(_ url: String) async throws -> (Result<FetchResponse, FetchError>, String) {
      var settings = FetchSettings(timeout: .seconds(10))
      settings.proxies = Self.settings(["http_proxy": proxy.url("")])
      let fetcher = try Fetcher(settings)
      defer { fetcher.close() }
      let sink = Sink()
      let answer = await fetcher.fetch(
        FetchRequest(url: url, deadline: .seconds(20)), host: "x", into: sink)
      return (answer.result, String(decoding: sink.bytes.withLock(\.self), as: UTF8.self))
    }
    #expect(try await fetch("http://images.example/a").1 == "through")
    let before = proxy.total
    for host in [
      "127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "10.0.0.1", "a.localhost",
      "①②⑦.⓪.⓪.①", "127。0。0。1", "localhost.", "127.0.0.1.", "ｌｏｃａｌｈｏｓｔ", "LOCALHOST", "0177.0.0.1",
      "0x７f.1", "%31%32%37.0.0.1", "local\u{AD}host", "[::ffff:127.0.0.1]", "①⓪.0.0.1。",
    ] {
      guard case .failure(let error) = try await fetch("http://\(host)/").0 else {
        Issue.record("\(host) was requested")
        continue
      }
      #expect(error.code == .addressRejected, "\(host): \(error.message)")
    }
    #expect(proxy.total == before)
    guard case .failure(let error) = try await fetch("http://images.example/away").0 else {
      Issue.record("the redirect was followed")
      return
    }
    #expect(error.code == .addressRejected)
    #expect(proxy.total == before + 1)
  }
}
