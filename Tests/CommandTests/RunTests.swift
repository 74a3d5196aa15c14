import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Ordinary runs of `tessera run`.
@Suite struct RunTests {
  private static let names = [
    "animated.gif", "rotated-phone-shot.jpg", "tall-900x20000.png", "transparent.png",
    "wide-3000x1.png", "cmyk.jpg", "animated.webp",
  ]

  private static func manifest(_ nginx: Nginx) -> String {
    names.map { name in #"{"id":"\#(name)","url":"\#(nginx.url("/\(name)"))"}"# + "\n" }.joined()
  }

  /// Compares the whole catalog with a reviewed one. What depends on libvips' version, or on the place of the sources, is
  /// masked there, and compared with the files here.
  @Test func secondRunHasTheSameCatalogAndEncodesNothing() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: Self.manifest(nginx)
        + #"{"id":"crop","url":"\#(nginx.url("/plain.jpg"))","slots":["avatar"],"focus":[1,0],"extra":{"title":"Ünï","n":1.10}}"#,
      keys: "base-url: https://cdn.example.com/feed")
    let first = try await fixture.run()
    #expect(first.status == 0, "\(first.errors)")
    try await fixture.expectWhole()
    let text = try fixture.catalogText
    let masked =
      text
      .replacing(/127\.0\.0\.1:\d+/, with: "HOST")
      .replacing(/"libvips":"[^"]+"/, with: "\"libvips\":\"V\"")
      .replacing(/"digest":"[0-9a-f]{64}"/, with: "\"digest\":\"D\"")
      .replacing(/"fingerprint":"[0-9a-f]{16}"/, with: "\"fingerprint\":\"F\"")
      .replacing(/"bytes":\[[^\]]+\]/) { $0.output.replacing(/\d+/, with: "0") }
      .replacing(/"color":"#[0-9a-f]{6}"/, with: "\"color\":\"C\"")
      .replacing(/"thumbhash":"[^"]+"/, with: "\"thumbhash\":\"T\"")
    let golden = Places.root.appending(path: "Tests/CommandTests/Golden/catalog.json")
    if ProcessInfo.processInfo.environment["TESSERA_WRITE_GOLDEN"] != nil {
      try Data(masked.utf8).write(to: golden)
    }
    #expect(masked == String(decoding: try Data(contentsOf: golden), as: UTF8.self))
    #expect(try fixture.report["decodes"] == 8)

    let second = try await fixture.run()
    #expect(second.status == 0)
    #expect(try fixture.catalogText == text)
    let report = try fixture.report
    #expect(report["variants.made"] == 0)
    #expect(report["decodes"] == 0)
    #expect(report["fetch.notModified"] == 8)
    #expect(report["fetch.bytes"] == 0)
    #expect(report["variants.made"] == 0)
    await nginx.stop()
  }

  @Test func relativeURLsAreResolvedAgainstTheBase() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: #"{"id":"a","url":"../plain.jpg"}"# + "\n" + #"{"id":"b","url":"//nowhere"}"#
        + "\n",
      keys: "base: \(nginx.url("/sizes/"))", slots: "slots: {b: {size: 100x}}")
    #expect(try await fixture.run().status == 1)
    let images = try fixture.catalog.images
    #expect(images.map(\.status) == [.ok, .failed])
    #expect(images.map(\.url) == [nginx.url("/plain.jpg"), "http://nowhere/"])
    await nginx.stop()
  }

  @Test func missingFilesAreRegenerated() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: nginx.url("/rotated-phone-shot.jpg") + "\n" + nginx.url("/animated.gif") + "\n")
    #expect(try await fixture.run().status == 0)
    let text = try fixture.catalogText
    #expect(try fixture.report["changes.new"] == 2)
    // One at a time: a file's bytes must not depend on which other files are made with it.
    for path in try fixture.catalog.images.flatMap(\.variants).map(\.reference) {
      try FileManager.default.removeItem(atPath: fixture.folder.path("out/\(path)"))
      #expect(try await fixture.run().status == 0)
      #expect(try fixture.report["variants.made"] == 1)
      #expect(try fixture.catalogText == text)
      // Its entry of the catalog is the same.
      #expect(try fixture.report["changes.reused"] == 2)
    }
    try await fixture.expectWhole()
    await nginx.stop()
  }

  /// The same image at two URLs, for different slots: the files do not depend on the order.
  @Test func filesDoNotDependOnTheOrderOfItems() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    var catalogs: [String] = []
    for slow in ["/a", "/b"] {
      for path in ["/a", "/b"] {
        server.route(path) { _, connection in
          if path == slow { connection.pause(0.7) }
          connection.fixture("rotated-phone-shot.jpg")
        }
      }
      let fixture = try RunFixture(
        manifest: """
          {"id":"a","url":"\(server.url("/a"))","slots":["avatar"],"focus":[0.2,0.9]}
          {"id":"b","url":"\(server.url("/b"))"}
          """)
      #expect(try await fixture.run().status == 0)
      catalogs.append(try fixture.catalogText)
    }
    #expect(catalogs[0] == catalogs[1])
  }

  @Test func changedLimitsApplyToKnownSources() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let manifest = nginx.url("/grey.png") + "\n" + nginx.url("/animated.gif") + "\n"
    let fixture = try RunFixture(manifest: manifest)
    #expect(try await fixture.run().status == 0)
    let keys = "accept: [jpeg, gif]\nlimits: {frames: 3}"
    try fixture.write(keys: keys)
    #expect(try await fixture.run("--allow-loss").status == 1)
    let fresh = try RunFixture(manifest: manifest, keys: keys)
    #expect(try await fresh.run().status == 1)
    #expect(try fixture.catalogText == fresh.catalogText)
    #expect(
      try fresh.catalog.images.map { $0.error?.code } == ["unsupported-format", "too-many-frames"])
    await nginx.stop()
  }

  @Test(.faults(.n31)) func freshResponsesAreNotRequestedAgain() async throws {
    let server = try FaultServer([
      "/fresh": { _, connection in connection.fixture("plain.jpg", ["Cache-Control": "max-age=600"])
      },
      "/stale": { _, connection in connection.fixture("lossy.webp", ["Cache-Control": "no-cache"])
      },
    ])
    defer { server.stop() }
    func counts() -> [Int] { [server.count("/fresh"), server.count("/stale")] }
    let fixture = try RunFixture(
      manifest: server.url("/fresh") + "\n" + server.url("/stale") + "\n")
    #expect(try await fixture.run().status == 0)
    #expect(try await fixture.run().status == 0)
    #expect(counts() == [1, 2])
    // Without validators all of /stale is fetched again, and its bytes are known.
    #expect(try fixture.report["decodes"] == 0)
    try fixture.write(keys: "fetch: {allow: loopback, revalidate: always}")
    #expect(try await fixture.run().status == 0)
    #expect(counts() == [2, 3])
    try fixture.write(keys: "fetch: {allow: loopback, revalidate: never}")
    #expect(try await fixture.run().status == 0)
    #expect(counts() == [2, 3])
  }

  @Test(.faults(.c12)) func secretsStayOutOfTheCatalogAndTheState() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    let path = "/p.jpg?token=s3cret&v=2"
    server.route(path) { request, connection in
      guard request.headers["x-key"] == "k", request.headers["user-agent"] == "Feed/1" else {
        return connection.respond("403 Forbidden")
      }
      connection.fixture("plain.jpg")
    }
    let keys = """
      fetch:
        allow: loopback
        headers: [{host: "127.0.0.1:\(server.port)", X-Key: k}]
        user-agent: Feed/1
        ignore-query: [token]
        rewrite: [{from: "https://feed.example/", to: "\(server.url("/"))"}]
      """
    let fixture = try RunFixture(
      manifest: "https://u:pass@feed.example\(path)\nhttps://feed.example\(path)\n", keys: keys)
    // The first URL has userinfo, so the prefix does not match, and its host does not resolve.
    #expect(try await fixture.run().status == 1)
    let text = try fixture.catalogText
    #expect(!text.contains("s3cret") && !text.contains("pass"))
    let state = try fixture.folder.read("out/.tessera/state.sqlite")
    for secret in ["s3cret", "u:pass"] { #expect(state.range(of: Data(secret.utf8)) == nil) }
    #expect(text.contains("https://feed.example/p.jpg?v=2"))
  }

  @Test(.faults(.m13)) func emptyManifestMakesAnEmptyCatalog() async throws {
    let fixture = try RunFixture(manifest: "")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images.isEmpty)
  }

  @Test func manifestCanBeGzippedOrPiped() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let line = #"{"id":"a","url":"\#(nginx.url("/plain.jpg"))"}"# + "\n"
    let fixture = try RunFixture(manifest: line)
    #expect(try await fixture.run().status == 0)
    let text = try fixture.catalogText
    let packed = try await Tool.run("/bin/gzip", [fixture.folder.path("manifest")])
    #expect(packed.status == 0)
    #expect(try await fixture.run("--manifest", fixture.folder.path("manifest.gz")).status == 0)
    #expect(try fixture.catalogText == text)
    let piped = try await Tool.run(
      Places.tessera, ["run", fixture.folder.path("feed.yaml"), "--manifest", "-"], input: line)
    #expect(piped.status == 0)
    #expect(try fixture.catalogText == text)
    let whole = try fixture.folder.read("manifest.gz")
    try whole.dropLast(10).write(to: URL(filePath: fixture.folder.path("cut.gz")))
    let cut = try await fixture.run("--manifest", fixture.folder.path("cut.gz"))
    #expect(cut.status == 2)
    #expect(cut.errors.contains("cut.gz\": the gzip data is cut off"))
    #expect(try fixture.catalogText == text)
    await nginx.stop()
  }

  @Test(.faults(.m1)) func duplicateIdsAndInvalidLinesAreReported() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let one = nginx.url("/plain.jpg")
    let two = nginx.url("/lossy.webp")
    let fixture = try RunFixture(
      manifest: """
        {"id":"a","url":"\(one)"}
        {"id":"a","url":"\(one)"}
        {"id":"a","url":"\(two)"}
        nonsense
        {"id":"b","url":"\(two)","slots":["banner"]}
        {"id":"../../etc/passwd","url":"\(two)"}
        """)
    let result = try await fixture.run()
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "manifest line 3: duplicate id \"a\": line 1 defines it differently"))
    #expect(result.errors.contains("manifest line 4: not valid JSON at column 1"))
    #expect(try fixture.catalog.images.map(\.id) == ["a", "b", "../../etc/passwd"])
    #expect(try fixture.catalog.images[1].error?.code == "unknown-slot")
    #expect(try fixture.catalog.images[2].status == .ok)
    try await fixture.expectWhole()
    await nginx.stop()
  }
}

/// A new libvips version (C11 of the bad inputs) renames no file, although it may make other bytes of the same settings: of a
/// name the first file stands.
@Suite struct LibraryVersionTests {
  @Test(.faults(.c11)) func newLibvipsRenamesNothing() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg") + "\n")
    // A copy of the command, beside a relay to the real worker that reports another version.
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      atPath: Places.tessera, toPath: folder.path("tessera"))
    try folder.write(
      """
      #!/usr/bin/python3
      import os, re, socket, subprocess, sys
      outer = socket.socket(fileno=3)
      ours, theirs = socket.socketpair()
      worker = subprocess.Popen(
          ["/bin/sh", "-c", 'exec "$0" "$@" 3<&%d' % theirs.fileno(), "\(Places.worker)"]
          + sys.argv[1:3] + [str(os.getpid())], pass_fds=[theirs.fileno()])
      theirs.close()
      hello = ours.recv(65536)
      outer.sendall(re.sub(rb'"libvips":"[^"]*"', b'"libvips":"99.0.0"', hello))
      # The requests for workers come with descriptors.
      while received := socket.recv_fds(outer, 1, 8):
          byte, descriptors = received[:2]
          if not byte: break
          socket.send_fds(ours, [byte], descriptors)
          for descriptor in descriptors: os.close(descriptor)
      ours.shutdown(socket.SHUT_WR)
      worker.wait()
      """, to: "tessera-worker")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.path("tessera-worker"))
    #expect(try await fixture.run().status == 0)
    let (before, text) = (try fixture.catalog, try fixture.catalogText)
    let result = try await Tool.run(
      folder.path("tessera"), ["run", fixture.folder.path("feed.yaml")])
    #expect(result.status == 0, "\(result.errors)")
    let report = try fixture.report
    #expect(report["variants.made"] == 0 && report["decodes"] == 0)
    let after = try fixture.catalog
    #expect(after.generator.libvips == "99.0.0")
    #expect(after.pipeline.fingerprint == before.pipeline.fingerprint)
    // The catalog is another one only because its head says which version wrote it.
    #expect(
      try fixture.catalogText.split(separator: "\n").dropFirst()
        == text.split(separator: "\n").dropFirst())
    await nginx.stop()
  }

  /// Without its state a run makes all files again. A whole image of the same size that has the name already stands, whatever its
  /// bytes are; the run says so, and the catalog is of what is there. Anything else is replaced.
  @Test(.faults(.c11)) func ofANameTheFirstFileStands() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: nginx.url("/plain.jpg") + "\n", slots: "slots: {a: {size: 40x}, b: {size: 90x}}")
    #expect(try await fixture.run().status == 0)
    let names = fixture.folder.files(below: "out/variants").sorted()
    #expect(names.count > 1)
    let paths = names.map { fixture.folder.path("out/variants/\($0)") }
    let made = try names.map { try fixture.folder.read("out/variants/\($0)") }
    // As another version of a codec may have made it.
    let other = fixture.folder.path("other.webp")
    let vips = try await Tool.run("/usr/bin/vips", ["webpsave", paths[0], other, "--Q", "20"])
    try #require(vips.status == 0, "\(vips.errors)")
    let first = try fixture.folder.read("other.webp")
    try #require(first != made[0])
    try first.write(to: URL(filePath: paths[0]))
    try made[0].write(to: URL(filePath: paths[1]))
    try FileManager.default.removeItem(atPath: fixture.folder.path("out/.tessera"))
    let again = try await fixture.run()
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("1 had names that other bytes have already"), "\(again.output)")
    let report = try fixture.report
    #expect(report["variants.made"] == names.count && report["variants.standing"] == 1)
    #expect(try fixture.folder.read("out/variants/\(names[0])") == first)
    // This one had the name of a file of another size.
    #expect(try fixture.folder.read("out/variants/\(names[1])") == made[1])
    try await fixture.expectWhole()
    let output = fixture.folder.path("out")
    #expect(try await Tool.tessera("verify", output, "--deep").status == 0)
    await nginx.stop()
  }

  /// The reported memory is the run's own, however large its parent process is.
  @Test func reportsItsOwnMemory() async throws {
    let fixture = try RunFixture(manifest: "", keys: "fail-above: 100%")
    let script = """
      import subprocess, sys
      held = bytearray(b'x') * 500_000_000
      sys.exit(subprocess.run(sys.argv[1:]).returncode)
      """
    let result = try await Tool.run(
      "/usr/bin/python3", ["-c", script, Places.tessera, "run", fixture.folder.path("feed.yaml")])
    #expect(result.status == 0, "\(result.errors)")
    let memory = try fixture.report["peakMemoryBytes"] ?? .max
    #expect(memory > 5_000_000 && memory < 100_000_000, "\(memory) bytes")
  }
}
