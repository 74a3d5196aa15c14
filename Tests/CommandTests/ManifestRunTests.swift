import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Manifests through the command (group M of bad inputs): their origins, and invalid ones.
@Suite struct ManifestRunTests {
  private static let head =
    "output: out\nslots: {card: {size: 180x, aspect: [1:9, 9:1]}}\nfetch: {allow: loopback, retries: 1}\n"

  /// A manifest at a URL is fetched like images: with headers and retries, within the address
  /// policy.
  @Test func manifestCanBeAtAURL() async throws {
    let server = try FaultServer()
    let line = #"{"id":"a","url":"\#(server.url("/p.jpg"))"}"# + "\n"
    let packed = try await Self.gzip(line)
    let seen = Mutex<[String?]>([])
    server.route("/p.jpg") { $1.fixture("plain.jpg") }
    server.route("/list.jsonl.gz") { request, connection in
      seen.withLock { $0.append(request.headers["x-key"]) }
      if request.before == 0 { return connection.respond("503 Service Unavailable") }
      connection.respond("200 OK", [:], packed)
    }
    let headers = "headers: [{host: \"127.0.0.1:\(server.port)\", X-Key: k1}]"
    let fixture = try RunFixture(
      manifest: "", keys: "fetch: {allow: loopback, retries: 1, \(headers)}")
    let url = server.url("/list.jsonl.gz")
    let result = try await fixture.run("--manifest", url)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try fixture.catalog.images.map(\.id) == ["a"])
    #expect(seen.withLock(\.self) == ["k1", "k1"])
    #expect(fixture.folder.files(below: "out/.tessera/spool").isEmpty)
    // The same URL in the pipeline file, with plan. check uses the network only with --probe.
    try fixture.folder.write("manifest: \(url)\n" + Self.head, to: "feed.yaml")
    let path = fixture.folder.path("feed.yaml")
    let plan = try await Tool.tessera("plan", path)
    #expect(plan.output.hasPrefix("next run: 1 image: "), "\(plan.output)\(plan.errors)")
    #expect(
      plan.output.contains("\n1 image in the manifest\n3 files requested"), "\(plan.output)")
    let check = try await Tool.tessera("check", path)
    #expect(check.status == 2)
    #expect(
      check.errors
        == "tessera: the manifest \"\(url)\": check does not use the network; --probe lets it, and "
        + "probes each image, too\n")
    let probed = try await Tool.tessera("check", path, "--probe").output
    #expect(probed.hasSuffix("\n1 item, no mistakes\n"))
    // What other ladders would save.
    #expect(
      probed.hasPrefix("rounded sizes cost visitors ")
        && probed.contains(" % more bytes; other ladders: half-steps: "),
      "\(probed)")
    server.stop()
  }

  /// A manifest that cannot be fetched is not an empty manifest: the last good catalog is
  /// unchanged.
  @Test(arguments: [
    ("/gone", "the server answered 404 Not Found (http-status)"),
    ("/page", "it is an HTML page, not a list of URLs"),
    ("/short", "(truncated)"),
    ("/empty-gzip", "the gzip data is cut off"),
    ("/nothing", "the answer has no body"),
    (
      "/error?token=t0ken",
      "none of its lines can be used; line 1: the member \"url\" is missing"
    ),
  ])
  func unavailableManifestChangesNothing(_ path: String, _ reason: String) async throws {
    let server = try FaultServer()
    server.route("/p.jpg") { $1.fixture("plain.jpg") }
    server.route("/page") { $1.respond("200 OK", [:], Array("<html>Sign in</html>".utf8)) }
    server.route("/nothing") { $1.respond() }
    server.route("/error?token=t0ken") {
      $1.respond("200 OK", [:], Array("{\"error\":\"no\"}".utf8))
    }
    server.route("/short") { $1.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhttp") }
    server.route("/empty-gzip") { $1.respond("200 OK", [:], [0x1F, 0x8B]) }
    let fixture = try RunFixture(
      manifest: server.url("/p.jpg"),
      keys: "fetch: {allow: loopback, retries: 0, ignore-query: [token]}")
    #expect(try await fixture.run().status == 0)
    let catalog = try fixture.catalogText
    let url = server.url(path)
    let result = try await fixture.run(
      "--manifest", url.replacing("http://", with: "http://user:s3cret@"))
    #expect(result.status == 2)
    let shown = url.replacing("?token=t0ken", with: "")
    #expect(result.errors.contains("tessera: the manifest \"\(shown)\": "), "\(result.errors)")
    #expect(result.errors.hasSuffix("\(reason)\n"), "\(result.errors)")
    #expect(!result.errors.contains("s3cret") && !result.errors.contains("t0ken"))
    #expect(try fixture.catalogText == catalog)
    server.stop()
  }

  /// The first bytes decide the kind of a manifest, however they are split into reads.
  @Test(arguments: [
    "printf '\\n'; sleep 0.3; printf '<html>'", "printf ' '; sleep 0.3; printf '[1]'",
    "printf '\\377'; sleep 0.3; printf '\\376h\\000'",
    "head -c 70000 /dev/zero | tr '\\0' '\\n'; printf '<html>'",
    "printf '\\n' | gzip; printf '<html>' | gzip",
  ])
  func manifestKindDoesNotDependOnReads(_ command: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("manifest: \"-\"\n" + Self.head, to: "p.yaml")
    let result = try await Tool.run(
      "/bin/sh", ["-c", "{ \(command); } | \(Places.tessera) run \(path)"])
    #expect(result.status == 2, "\(result.output) \(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("out/catalog.json")))
    // A valid one is recognized, too.
    let packed = try await Tool.run(
      "/bin/sh",
      [
        "-c",
        "printf 'https://a/1\\n' | gzip > '\(folder.path("m"))'; "
          + "{ head -c 1 '\(folder.path("m"))'; sleep 0.3; tail -c +2 '\(folder.path("m"))'; } | "
          + "\(Places.tessera) check \(path)",
      ])
    #expect(packed.output == "1 item, no mistakes\n")
  }

  @Test func manifestURLObeysTheAddressPolicy() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "manifest: http://169.254.169.254/list\noutput: out\nslots: {a: {size: 10x}}\n", to: "p.yaml")
    let result = try await Tool.tessera("run", path)
    #expect(result.status == 2)
    #expect(result.errors.contains("(address-rejected)"), "\(result.errors)")
  }

  /// What the URL alone shows is said before the first request; names of hosts are left to a run.
  @Test(arguments: [
    ("http://169.254.169.254/a.jpg", "169.254.169.254 is not on the public internet"),
    ("http://[::ffff:10.0.0.1]/a.jpg", "is not on the public internet"),
    ("http://0xA.1/a.jpg", "is not on the public internet"),
    ("file:///etc/passwd", "the file is not in an allowed folder"),
    ("http://example.com/a.jpg", ""), ("http://192.0.43.8/a.jpg", ""),
    ("http://127.0.0.1/a.jpg", ""),
  ])
  func checkSaysWhichAddressesARunRejects(_ url: String, _ reason: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"id\":\"a\",\"url\":\"\(url)\"}\n", to: "m.jsonl")
    let path = try folder.write(
      """
      manifest: m.jsonl
      output: out
      slots: {a: {size: 10x10}}
      fetch: {allow: [127.0.0.1/32], user-agent: "A (+https://shop.de/bot)"}
      """, to: "p.yaml")
    let permitted = reason.isEmpty
    let result = try await Tool.tessera("check", path)
    #expect(result.status == (permitted ? 0 : 1))
    if permitted {
      #expect(result.output == "1 item, no mistakes\n")
    } else {
      #expect(
        result.output.contains(
          "m.jsonl:1: error: \(url.hasPrefix("file:") ? "passwd" : url): "), "\(result.output)")
      #expect(result.output.contains(reason), "\(result.output)")
      #expect(result.output.contains("(address-rejected)"), "\(result.output)")
    }
  }

  /// M12: files, folders, links and pipes at the manifest's path.
  @Test(.faults(.m12)) func manifestPathCanBeAnyKindOfFile() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("manifest: m\n" + Self.head, to: "p.yaml")
    func check() async throws -> Tool.Result { try await Tool.tessera("check", path) }
    let manifest = folder.path("m")
    let hint = "; write one, with a URL on each line, or correct \"manifest\" in the pipeline file"
    #expect(
      try await check().errors
        == "tessera: the manifest \"\(manifest)\": No such file or directory\(hint)\n")
    try FileManager.default.createDirectory(atPath: manifest, withIntermediateDirectories: false)
    let directory = try await check()
    #expect(directory.status == 2)
    #expect(directory.errors == "tessera: the manifest \"\(manifest)\": it is a directory\n")
    try FileManager.default.removeItem(atPath: manifest)
    try folder.write("https://a/1\n", to: "target")
    try FileManager.default.createSymbolicLink(atPath: manifest, withDestinationPath: "target")
    #expect(try await check().output == "1 item, no mistakes\n")
    try FileManager.default.removeItem(atPath: manifest)
    // A named pipe: read until its writer closes it.
    #expect(mkfifo(manifest, 0o600) == 0)
    async let writer = Tool.run(
      "/bin/sh", ["-c", "printf 'https://a/1\\nhttps://a/2\\n' > '\(manifest)'"])
    #expect(try await check().output == "2 items, no mistakes\n")
    #expect(try await writer.status == 0)
    // Without a writer, a run waits for its deadline and no longer.
    let late = try await Tool.tessera("run", path, "--deadline", "500ms")
    #expect(late.status == 2)
    #expect(late.errors.contains("(--deadline) passed before it was read"), "\(late.errors)")
    // Links that lead nowhere and in a circle, and a device without an end.
    for (target, message) in [
      ("nowhere", "No such file or directory" + hint), ("m", "Too many levels of symbolic links"),
      ("/dev/zero", "it is not a text; a list is one in UTF-8 or UTF-16"),
    ] {
      try FileManager.default.removeItem(atPath: manifest)
      try FileManager.default.createSymbolicLink(atPath: manifest, withDestinationPath: target)
      #expect(try await check().errors == "tessera: the manifest \"\(manifest)\": \(message)\n")
    }
  }

  @Test(.faults(.m12)) func concatenatedGzipMembersAreOneManifest() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("manifest: m\n" + Self.head, to: "p.yaml")
    let packed = try await Self.gzip("https://a/1\n")
    try Data(packed + packed).write(to: URL(filePath: folder.path("m")))
    #expect(try await Tool.tessera("check", path).output == "1 item, no mistakes\n")
    // Every missing end.
    for length in 2..<packed.count {
      try Data(packed + packed.prefix(length)).write(to: URL(filePath: folder.path("m")))
      let result = try await Tool.tessera("check", path)
      #expect(result.status == 2, "\(length)")
      #expect(result.errors.hasSuffix("the gzip data is cut off\n"), "\(length): \(result.errors)")
    }
    // A wrong byte, and a wrong end.
    var wrong = packed
    wrong[wrong.count - 6] ^= 0xFF
    for (bytes, reason) in [
      (wrong, "damaged gzip data: incorrect data check"),
      (packed + [0x1F], "the gzip data is cut off"),
      (packed + Array("more".utf8), "damaged gzip data: incorrect header check"),
    ] {
      try Data(bytes).write(to: URL(filePath: folder.path("m")))
      let result = try await Tool.tessera("check", path)
      #expect(result.status == 2)
      #expect(
        result.errors == "tessera: the manifest \"\(folder.path("m"))\": \(reason)\n",
        "\(result.errors)")
    }
  }

  /// M12: a manifest that is modified while it is read is rejected.
  @Test(.faults(.m12)) func modifiedManifestIsRejected() async throws {
    let server = try FaultServer()
    let isRequested = Mutex(false)
    server.route("/p.jpg") { _, connection in
      isRequested.withLock { $0 = true }
      connection.pause(1.5)
      connection.fixture("plain.jpg")
    }
    let lines = (0..<5_000).map { #"{"id":"\#($0)","url":"\#(server.url("/p.jpg"))"}"# + "\n" }
    let fixture = try RunFixture(manifest: server.url("/p.jpg"))
    #expect(try await fixture.run().status == 0)
    let catalog = try fixture.catalogText
    isRequested.withLock { $0 = false }
    try fixture.folder.write(lines.joined(), to: "manifest")
    let running = try fixture.start()
    while !isRequested.withLock(\.self) { try await Task.sleep(for: .milliseconds(20)) }
    try fixture.folder.write(lines.prefix(3_000).joined(), to: "manifest.new")
    // In place, as `cat > manifest` does.
    let new = try fixture.folder.read("manifest.new")
    let handle = try FileHandle(forWritingTo: URL(filePath: fixture.folder.path("manifest")))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: new)
    try handle.close()
    let result = await running.end()
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "it changed while it was read; write a new file beside it and rename that"),
      "\(result.errors)")
    #expect(try fixture.catalogText == catalog)
    // Renaming a new one over it is safe at any time.
    isRequested.withLock { $0 = false }
    let second = try fixture.start()
    while !isRequested.withLock(\.self) { try await Task.sleep(for: .milliseconds(20)) }
    #expect(
      rename(fixture.folder.path("manifest.new"), fixture.folder.path("manifest")) == 0)
    #expect(await second.end().status == 0)
    #expect(try fixture.catalog.images.count == 3_000)
    server.stop()
  }

  /// M7: no id makes a run write anything but the output's own files.
  @Test(.faults(.m7)) func idsNeverBecomePaths() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let ids = [
      "../x", "/abs", "a/../../b", ".", "..", "CON", "a.", "caf\u{E9}", "cafe\u{301}", "P1", "p1",
      String(repeating: "x", count: 300), "out/catalog.json", ".tessera/state.sqlite",
    ]
    let fixture = try RunFixture(
      manifest: ids.map { #"{"id":"\#($0)","url":"\#(nginx.url("/plain.jpg"))"}"# + "\n" }.joined())
    let before = fixture.folder.files(below: ".")
    #expect(try await fixture.run().status == 0)
    #expect(
      try fixture.catalog.images.map { Array($0.id.utf8) } == ids.map { Array($0.utf8) })
    let new = Set(fixture.folder.files(below: ".")).subtracting(before)
    #expect(
      new.allSatisfy {
        $0.hasPrefix("out/variants/") || $0.hasPrefix("out/.tessera/")
          || ["out/catalog.json", "out/run.json"].contains($0)
      }, "\(new.sorted())")
    try await fixture.expectWhole()
    await nginx.stop()
  }

  /// M8, M10: messages contain no escape sequences and no passwords.
  @Test(.faults(.m8, .m10)) func messagesHaveNoEscapesOrPasswords() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("manifest: m\n" + Self.head, to: "p.yaml")
    try folder.write(
      """
      {"id":"a","url":"http://user:s3cret@127.0.0.1:9/1"}
      {"id":"b","url":"http://127.0.0.1:9/1","slots":["\\u001b[31mcard"]}
      {"id":"c","url":"http://127.0.0.1:9/1","\\u001b[31mx":1}

      """, to: "m")
    for arguments in [["check", path, "--probe"], ["run", path], ["plan", path, "--probe"]] {
      let result = try await Tool.run(Places.tessera, arguments)
      let all = result.output + result.errors
      #expect(!all.contains("\u{1b}"), "\(arguments)")
      #expect(!all.contains("s3cret"), "\(arguments)")
    }
    let check = try await Tool.tessera("check", path, "--probe")
    #expect(
      check.output.contains(
        "m:1: error: http://127.0.0.1:9/1: The connection failed"), "\(check.output)")
    for file in ["out/catalog.json", "out/run.json", "out/.tessera/state.sqlite"] {
      #expect(try folder.read(file).range(of: Data("s3cret".utf8)) == nil, "\(file)")
    }
  }

  /// M11: paths with non-ASCII characters, literal and percent-encoded, and a host that needs IDNA.
  @Test(.faults(.m11)) func nonASCIIURLsAreFetched() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      at: Places.fixture("plain.jpg"), to: URL(filePath: folder.path("\u{E4} b.jpg")))
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: """
        \(nginx.url("/\u{E4}%20b.jpg"))
        \(nginx.url("/%C3%A4%20b.jpg#here"))
        http://b\u{FC}cher.invalid/1
        http://[fe80::1%25lo]/1

        """)
    #expect(try await fixture.run().status == 1)
    let images = try fixture.catalog.images
    #expect(images.map(\.status) == [.ok, .ok, .failed, .failed])
    #expect(images[2].error?.code == "dns", "\(images[2].error?.message ?? "")")
    #expect(images[3].error?.code == "address-rejected", "\(images[3].error?.message ?? "")")
    await nginx.stop()
  }

  /// Thousands of bad lines do not fill a log: the first are printed. `check` lists them all.
  @Test func badLinesArePrintedUpToACap() async throws {
    let fixture = try RunFixture(
      manifest: String(repeating: "nonsense\n", count: 3_000) + "http://127.0.0.1:1/a\n")
    let path = fixture.folder.path("feed.yaml")
    let mistake =
      "the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL, found \"nonsense\"; "
      + "relative ones need a \"base\" in the pipeline"
    let printed =
      (1..<20).map { "manifest line \($0): \(mistake)" }
      + ["further lines are not printed here; tessera check lists all of them"]
    let plan = try await Tool.tessera("plan", path)
    #expect(plan.errors.split(separator: "\n").map(String.init) == printed)
    let run = try await fixture.run("--no-progress")
    #expect(run.status == 1)
    #expect(run.errors.split(separator: "\n").dropLast().map(String.init) == printed)
    #expect(try fixture.report["manifestProblems.total"] == 3_000)
    let check = try await Tool.tessera("check", path)
    #expect(check.output.split(separator: "\n").filter { $0.contains(": error: ") }.count == 3_000)
  }

  /// A small gzip file that unpacks to gigabytes without a record: the run's deadline and a signal
  /// end it, and neither is taken for the end of the manifest.
  @Test(arguments: [("\\n", " "), ("x", "y")]) func unpackedBytesWithoutARecordDoNotHoldARun(
    _ byte: String, _ other: String
  ) async throws {
    let fixture = try RunFixture(manifest: "")
    #expect(try await fixture.run().status == 0)
    let catalog = try fixture.catalogText
    let bomb = fixture.folder.path("bomb")
    // A thousand members of 16 MB each, with bytes that can't be foreseen: fewer than a thousand times as many.
    let made = try await Tool.run(
      "/bin/sh",
      [
        "-c",
        "export LC_ALL=C; "
          + "{ head -c 16777216 /dev/zero; head -c 65536 /dev/urandom | tr '\\000-\\177' '\\0'; } "
          + "| tr '\\0' '\(byte)' | tr '\\200-\\377' '\(other)' | gzip > '\(bomb).1'; "
          + "for i in $(seq 1000); do cat '\(bomb).1'; done > '\(bomb)'",
      ])
    #expect(made.status == 0, "\(made.errors)")
    let late = try await fixture.run("--manifest", bomb, "--deadline", "1s")
    #expect(late.status == 2)
    #expect(
      late.errors.hasSuffix(
        "the manifest \"\(bomb)\": the run's deadline (--deadline) passed before it was read to its "
          + "end\n"), "\(late.errors)")
    let check = try Tool.start(
      Places.tessera, ["check", fixture.folder.path("feed.yaml"), "--manifest", bomb])
    // Signals are handled before anything begins; until then, a signal would end the process at once.
    for _ in 0..<1_500 where !check.openFiles.contains(where: { $0.hasSuffix("/bomb") }) {
      try await Task.sleep(for: .milliseconds(20))
    }
    check.signal(SIGTERM)
    let stopped = await check.end()
    #expect(stopped.status == 143)
    // A process that does not stop by itself exits without a message.
    #expect(stopped.errors == "tessera: stopped\n")
    #expect(try fixture.catalogText == catalog)
  }

  private static func gzip(_ text: String) async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let result = try await Tool.run("/bin/gzip", [try folder.write(text, to: "x")])
    #expect(result.status == 0)
    return Array(try folder.read("x.gz"))
  }

  /// A list of one's own server has the same mistake in each line.
  @Test func oneMistakeOfManyImagesIsPrintedTenTimes() async throws {
    let urls = (1...12).map { "http://127.0.0.1:1/\($0).jpg\n" }.joined()
    let fixture = try RunFixture(manifest: "ftp://a\n" + urls, keys: "fetch: {retries: 0}")
    let check = try await Tool.tessera("check", fixture.folder.path("feed.yaml"))
    #expect(check.status == 1)
    let lines = check.output.split(separator: "\n")
    #expect(lines.count { $0.contains("error: http://127.0.0.1:1/") } == 10)
    #expect(
      lines.contains { $0.hasPrefix("2 more images: 127.0.0.1 is not on the public internet") })
    #expect(lines.contains { $0.contains(":1: error: the URL must begin") })
    let json = try await Tool.tessera("check", fixture.folder.path("feed.yaml"), "--json").output
    #expect(json.matches(of: /"line": \d+/).count == 13)
  }

}
