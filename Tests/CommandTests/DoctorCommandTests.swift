import Foundation
import TesseraTestSupport
import Testing

/// `doctor` with outputs, and with URLs of real servers on this machine: redirects, TLS and rejections.
@Suite struct DoctorCommandTests {
  /// A server with TLS, and its authority.
  private static func secured(_ folder: TemporaryFolder) async throws -> Nginx {
    let script = """
      set -e
      cd '\(folder.path(""))'
      openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=Authority
      openssl req -newkey rsa:2048 -nodes -keyout key.pem -out csr.pem -subj /CN=localhost
      printf 'subjectAltName=DNS:localhost' > ext
      openssl x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem \
        -extfile ext -days 5
      """
    let made = try await Tool.run("/bin/bash", ["-c", script])
    try #require(made.status == 0, "\(made.errors)")
    return try await Nginx(
      serving: Places.fixtures, listen: "ssl http2",
      server: "ssl_certificate \(folder.path("cert.pem")); "
        + "ssl_certificate_key \(folder.path("key.pem")); ssl_protocols TLSv1.3; "
        + "location = /moved { return 301 https://localhost:PORT/plain.jpg; }")
  }

  /// The lines about what was named, with times and free space made equal.
  private static func lines(_ result: Tool.Result, from label: String) -> [String] {
    result.output.split(separator: "\n").map(String.init).drop { !$0.hasPrefix(label) }.map {
      $0.replacing(/[0-9]+ ms/, with: "N ms").replacing(/20[0-9]{2}-[^ ]*Z/, with: "TIME")
        .replacing(/^ +space .*/, with: "space").replacing(/^ +inodes .*/, with: "inodes")
    }
  }

  @Test func everyHopIsShownWithItsEncryption() async throws {
    let folder = try TemporaryFolder()
    let nginx = try await Self.secured(folder)
    let first = try await Nginx(
      serving: Places.fixtures,
      server:
        "location = /a { return 302 https://localhost:\(nginx.port)/moved?X-Amz-Signature=5ec; }")
    let url = "http://user:secret@127.0.0.1:\(first.port)/a"
    let (shown, target) = (first.url("/a"), "https://localhost:\(nginx.port)")
    let environment = ["SSL_CERT_FILE": folder.path("ca.pem"), "http_proxy": "", "https_proxy": ""]
    let good = try await Tool.run(
      Places.tessera, ["doctor", url, "--allow", "loopback"], environment: environment)
    #expect(good.status == 0, "\(good.output)\(good.errors)")
    #expect(
      Self.lines(good, from: "url") == [
        "url       \(shown)", "  names   127.0.0.1: 127.0.0.1",
        "  request 302, 127.0.0.1, N ms: \(shown)",
        "  tls     TLSv1.3, issued by CN = Authority, valid until TIME",
        "  request 301, 127.0.0.1, N ms: \(target)/moved",
        "          200, 127.0.0.1, N ms: \(target)/plain.jpg", "  clock   as the server's",
      ])
    // One that the system does not trust.
    let distrusted = try await Tool.run(
      Places.tessera, ["doctor", url, "--allow", "loopback"],
      environment: environment.merging(["SSL_CERT_FILE": ""]) { $1 })
    #expect(distrusted.status == 1)
    let problem =
      "\"\(shown)\" can't be fetched: the TLS connection is not trusted: SSL peer certificate or SSH "
      + "remote key was not OK (unable to get local issuer certificate); to repair it: install "
      + "ca-certificates, or SSL_CERT_FILE=FILE with the authority's certificate, if the server is "
      + "your own"
    #expect(
      Array(Self.lines(distrusted, from: "  request").dropFirst()) == [
        "          no answer, 127.0.0.1, N ms: \(target)/moved", "  clock   as the server's",
        problem,
      ])
    // Not one packet to an address that is not allowed.
    let rejected = try await Tool.run(
      Places.tessera, ["doctor", "\(target)/plain.jpg", "--json"], environment: environment)
    #expect(rejected.status == 1)
    let document = try JSONSerialization.jsonObject(with: Data(rejected.output.utf8))
    let findings = try #require((document as? [String: Any])?["findings"] as? [[String: Any]])
    let request = try #require(findings.last { $0["kind"] as? String == "request" })
    #expect(request["ok"] as? Bool == false)
    #expect(
      request["problem"] as? String
        == "\"\(target)/plain.jpg\" can't be fetched: localhost is not on the public internet")
    #expect(
      request["fix"] as? String
        == "fetch: {allow: [loopback]} in the pipeline file, here --allow loopback")
    #expect(!(rejected.output + good.output + distrusted.output).contains("secret"))
    await nginx.stop()
    await first.stop()
  }

  /// A clock that is two days off is found by the server's.
  @Test func theClockIsComparedWithThatOfTheServer() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let folder = try TemporaryFolder()
    let library = try await Shim.build("clock", in: folder)
    let late = try await Tool.run(
      Places.tessera, ["doctor", nginx.url("/plain.jpg"), "--allow", "127.0.0.0/8"],
      environment: ["LD_PRELOAD": library, "SHIM_SHIFT": "172800"])
    await nginx.stop()
    #expect(late.status == 1)
    let last = late.output.split(separator: "\n").last ?? ""
    #expect(
      last.wholeMatch(
        of:
          /the clock of this machine is 17(2799|2800|2801) s ahead of that of 127\.0\.0\.1; .*ntp true/
      )
        != nil, "\(late.output)\(late.errors)")
  }

  /// A port at which nothing listens.
  @Test func aRejectedConnectionIsCalledThat() async throws {
    let server = try FaultServer()
    let url = server.url("/a.jpg")
    server.stop()
    let result = try await Tool.run(
      Places.tessera, ["doctor", url, "--allow", "loopback"], environment: ["http_proxy": ""])
    #expect(result.status == 1)
    #expect(
      Self.lines(result, from: "  request") == [
        "  request no answer, connection refused, N ms: \(url)",
        "\"\(url)\" can't be fetched: the connection failed: Connection refused; to repair it: the firewall, "
          + "or https_proxy=URL; fetch: {timeout: 30s} if the server is slow",
      ])
  }

  /// A URL without its scheme is not a new output, unless a folder makes it one.
  @Test func aHostWithAPathIsNotAnOutput() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("feed.v2"), withIntermediateDirectories: false)
    func doctor(_ operand: String) async throws -> Tool.Result {
      try await Tool.run(
        "/bin/sh", ["-c", "cd '\(folder.url.path)' && exec '\(Places.tessera)' doctor \(operand)"])
    }
    let result = try await doctor("example.com/a.jpg")
    #expect(result.status == 64)
    #expect(
      result.errors == """
        tessera: there is no folder "example.com/a.jpg"; if it is a URL, write https://example.com/a.jpg; if \
        a run is to create it, ./example.com/a.jpg

        """)
    for output in ["feed.v2/out", "feed.v2", "./example.com/a", "new/a.b", "new.folder"] {
      let result = try await doctor(output)
      #expect(result.status == 0 && result.output.contains("output    "), "\(result.errors)")
    }
  }

  /// An output that is in use, one that does not exist yet, and one that is a file. Nothing is created.
  @Test func outputsAreExaminedWithoutAChange() async throws {
    let fixture = try RunFixture(manifest: "", slots: "slots: {a: {size: 8x8}}")
    #expect(try await fixture.run("--quiet").status == 0)
    let (folder, out) = (fixture.folder, fixture.folder.path("out"))
    let before = folder.files(below: "").sorted()
    let result = try await Tool.run(
      "/usr/bin/flock", ["\(out)/.tessera/lock", Places.tessera, "doctor", out, folder.path("a/b")])
    #expect(result.status == 0, "\(result.output)")
    let lines = Self.lines(result, from: "output").map {
      $0.replacing(/process [0-9]+ is/, with: "process N is")
    }
    #expect(
      lines == [
        "output    \(out)", "space", "inodes", "  access  can be written",
        "  lock    process N is at work on it", "output    \(folder.path("a/b"))", "space",
        "inodes",
        "  access  does not exist yet; a run creates it in \(folder.url.path)",
        "  lock    no run on this machine is at work on it",
      ])
    let file = try await Tool.tessera("doctor", folder.path("feed.yaml"))
    #expect(file.status == 1)
    #expect(
      file.output.hasSuffix(
        "\"\(folder.path("feed.yaml"))\" can't be written: Not a directory; to repair it: name a folder "
          + "(output)\n"), "\(file.output)")
    #expect(folder.files(below: "").sorted() == before)
  }

  /// Without a URL no socket of the internet is opened.
  @Test func nothingIsSentWithoutAURL() async throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log")
    let result = try await Tool.run(
      "/usr/bin/strace",
      ["-f", "-e", "trace=socket,connect", "-o", log, Places.tessera, "doctor", folder.path("")])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let calls = try folder.text("log")
    #expect(!calls.contains("AF_INET") && calls.contains("exited with 0"), "\(calls)")
  }
}
