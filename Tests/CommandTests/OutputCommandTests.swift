import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Commands that work on a finished output: `verify`, `prune`, `why`, and signals that interrupt
/// them.
@Suite struct OutputCommandTests {
  private static func made(_ names: [String], keys: String = "") async throws -> RunFixture {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: keys)
    _ = try await fixture.run()
    await nginx.stop()
    return fixture
  }

  private static let names = ["plain.jpg", "grey.png", "animated.gif", "gone.png"]

  @Test(.faults(.f11)) func verifyFindsFilesThatDifferFromTheCatalog() async throws {
    let fixture = try await Self.made(Self.names, keys: "variants: {format: [webp, jpeg]}")
    let output = fixture.folder.path("out")
    for options in [[], ["--deep"]] {
      let result = try await Tool.run(Places.tessera, ["verify", output] + options)
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      #expect(result.output.hasSuffix("of 4 images: no problems\n"), "\(result.output)")
    }
    // One character of a text: every file is still as the catalog says.
    let catalog = try fixture.catalogText
    try fixture.folder.write(
      catalog.replacing("plain.jpg", with: "Plain.jpg"), to: "out/catalog.json")
    let altered = try await Tool.tessera("verify", output)
    #expect(altered.status == 1)
    #expect(altered.output.hasPrefix("the file catalog.json was altered after it was written\n"))
    try fixture.folder.write(catalog, to: "out/catalog.json")
    let files = fixture.folder.files(below: "out/variants").sorted()
    try #require(files.count >= 6)
    func path(_ index: Int) -> URL {
      URL(filePath: fixture.folder.path("out/variants/\(files[index])"))
    }
    try FileManager.default.removeItem(at: path(0))
    try Data(contentsOf: path(1)).dropLast(5).write(to: path(1))
    try Data(contentsOf: path(2)).withLastByteFlipped.write(to: path(2))
    try FileManager.default.removeItem(at: path(3))
    try FileManager.default.createSymbolicLink(
      at: path(3), withDestinationURL: URL(filePath: "/etc/passwd"))
    let shallow = try await Tool.tessera("verify", output)
    #expect(shallow.status == 1)
    #expect(shallow.output.contains("\(files[0]) is missing"))
    #expect(shallow.output.contains("\(files[1]) has "))
    #expect(shallow.output.contains("\(files[3]) can't be read: "))
    #expect(shallow.output.hasSuffix(": 3 problems\n"), "\(shallow.output)")
    let deep = try await Tool.run(
      Places.tessera, ["verify", output, "--deep", "--remove-broken", "--json"])
    #expect(deep.status == 1)
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(deep.output.utf8)) as? [String: Any])
    #expect(json["problemCount"] as? Int == 4)
    // One was missing already.
    #expect(json["removed"] as? Int == 3)
    #expect(deep.output.contains("The file has other content than was published."))
    // The broken files are deleted, but not the target of the link.
    #expect(FileManager.default.fileExists(atPath: "/etc/passwd"))
    #expect(fixture.folder.files(below: "out/variants").count == files.count - 4)
  }

  /// Each command that takes an output says the same of one that does not exist.
  @Test(
    arguments: [
      ["verify"], ["why", "a"], ["prune"], ["rollback"], ["gallery"], ["merge"], ["warm"],
      ["diff", "b"], ["export", "--as", "html", "--to", "x.html"],
    ])
  func aMissingOutputIsCalledThat(_ words: [String]) async throws {
    let folder = try TemporaryFolder()
    let none = folder.path("none")
    let result = try await Tool.run(
      Places.tessera, [words[0], none] + words.dropFirst())
    #expect(result.status == 2)
    #expect(
      result.errors
        == "tessera: there is no file or folder \"\(none)\"; it must be the output of a run\n")
    #expect(folder.files(below: "").isEmpty)
  }

  @Test func verifyAndPruneRejectAFolderThatIsNotAnOutput() async throws {
    let folder = try TemporaryFolder()
    for command in ["verify", "prune"] {
      let none = try await Tool.tessera(command, folder.path(""))
      #expect(none.status == 2)
      #expect(none.errors.contains("holds no catalog.json; it must be the output of a run"))
      let future = RunFixture.document([], head: "{\"schema\":\"tessera-catalog/9\"}")
      try folder.write(future, to: "catalog.json")
      let other = try await Tool.tessera(command, folder.path(""))
      #expect(other.status == 2)
      #expect(other.errors.contains("expected \"tessera-catalog/1\", the only version"))
      // A folder that is not an output stays as it is.
      #expect(folder.files(below: "") == ["catalog.json"])
      try FileManager.default.removeItem(atPath: folder.path("catalog.json"))
    }
  }

  @Test func pruneDeletesUnnamedFilesAfterTheGracePeriod() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: nginx.url("/plain.jpg") + "\n" + nginx.url("/grey.png") + "\n")
    #expect(try await fixture.run().status == 0)
    let before = Set(fixture.folder.files(below: "out/variants"))
    try fixture.folder.write(nginx.url("/plain.jpg") + "\n", to: "manifest")
    try fixture.write(keys: "variants: {quality: 50}\nkeep-catalogs: 0")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let named = Set(
      try fixture.catalog.images.flatMap(\.variants).map { $0.reference.dropFirst(9) }.map(
        String.init))
    try fixture.folder.write("mine", to: "out/variants/notes.txt")
    let output = fixture.folder.path("out")
    let all = Set(fixture.folder.files(below: "out/variants"))

    // Nothing is deleted during the grace period, and a dry run does not start it.
    for options in [["--dry-run"], [], ["--grace", "1h"]] {
      let result = try await Tool.run(Places.tessera, ["prune", output] + options)
      #expect(result.status == 0, "\(result.errors)")
      #expect("\n\(result.output)".contains("\n0 files "), "\(result.output)")
      // A dry run says why each file would stay.
      let reasons = result.output.split(separator: "\n").count {
        $0.contains(/stays until 20.+: clients with an earlier catalog may fetch it/)
      }
      #expect((reasons > 0) == options.contains("--dry-run"), "\(result.output)")
      #expect(
        result.output.contains(
          /\d+ waiting \([\d.]+ k?B; the first until 20\d\d-\d\d-\d\dT[\d:]+Z\)/),
        "\(result.output)")
      #expect(result.output.contains("\(before.count) waiting"))
      #expect(Set(fixture.folder.files(below: "out/variants")) == all)
    }
    let dry = try await Tool.run(Places.tessera, ["prune", output, "--grace", "0s", "--dry-run"])
    #expect(
      Set(dry.output.split(separator: "\n").dropLast().map { String($0.dropFirst(9)) }) == before)
    #expect(Set(fixture.folder.files(below: "out/variants")) == all)
    let result = try await Tool.run(Places.tessera, ["prune", output, "--grace", "0s"])
    #expect(result.output.contains("\(before.count) files deleted"), "\(result.output)")
    #expect(result.output.contains("1 not made by tessera"))
    #expect(Set(fixture.folder.files(below: "out/variants")) == named.union(["notes.txt"]))
    #expect(try await Tool.tessera("verify", output, "--deep").status == 0)
    #expect(try await Tool.tessera("prune", output, "--grace", "soon").status == 64)
  }

  /// Each decision of each run is reported with its reason.
  @Test func whyReportsDecisions() async throws {
    let (plain, grey) = (try Places.bytes("plain.jpg"), try Places.bytes("grey.png"))
    let server = try FaultServer([
      "/a": { request, connection in
        if request.before == 1 { return connection.respond("304 Not Modified") }
        connection.respond(
          "200 OK", ["ETag": "\"\(request.before)\""], request.before < 2 ? plain : grey)
      },
      "/twin": { $1.respond("200 OK", ["Cache-Control": "max-age=3600"], plain) },
      "/slow": { $1.respond("503 Service Unavailable") },
    ])
    defer { server.stop() }
    let names = ["a", "twin", "gone", "slow"]
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: "fetch: {allow: loopback, retries: 0, concurrency: 1}")
    let output = fixture.folder.path("out")
    func why(_ id: String) async throws -> [String] {
      let result = try await Tool.run(Places.tessera, ["why", output, id])
      #expect(result.status == 0, "\(result.errors)")
      return result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(try await fixture.run().status == 1)
    var lines = try await why("a")
    #expect(lines[0] == "a, line 1 of the manifest: ok")
    #expect(lines[1] == server.url("/a"))
    #expect(lines[2] == "- requested: the source was not known")
    #expect(lines[3] == "- fetched for the first time")
    #expect(lines.contains("the same bytes as twin"))
    // The item that was first was decoded, and the other one reused its files.
    let twin = try await why("twin")
    let both = [lines[4], twin[4]].sorted()
    #expect(
      both == [
        "- decoded: 3 files made, 0 reused",
        "- these bytes are known: all files were reused",
      ])
    let gone = try await why("gone")
    #expect(gone[3] == "- failed: The server answered 404 Not Found. (http-status)")
    #expect(
      gone.last
        == "next: correct the URL in the manifest, or send what the server requires (fetch.headers); "
        + "then run the pipeline with --retry-failed")
    #expect(
      try await why("slow").last
        == "next: wait until the server is well; then run the pipeline with --retry-failed")
    // The error is among the decisions, and not repeated.
    #expect(!gone.contains { $0.hasPrefix("error:") })

    #expect(try await fixture.run().status == 1)
    lines = try await why("a")
    #expect(lines[2].hasPrefix("- requested: the server did not say how long its response of 20"))
    #expect(lines[3] == "- the server answered that it has not changed")
    let fresh = try await why("twin")
    #expect(
      fresh[2].hasPrefix("- nothing to do: the server's response is fresh until 20"), "\(fresh)")

    #expect(try await fixture.run().status == 1)
    lines = try await why("a")
    #expect(lines[3] == "- fetched: it has changed (ETag \"0\" is now \"2\")")
    #expect(!lines.contains("the same bytes as twin"))

    // A lost file is a reason of its own.
    let file = try #require(try fixture.catalog.images[1].variants.first?.path)
    try FileManager.default.removeItem(atPath: fixture.folder.path("out/\(file)"))
    #expect(try await fixture.run().status == 1)
    #expect(try await why("twin")[2] == "- requested: 1 of its 3 files are missing")
    #expect(try await why("twin")[4] == "- decoded: 1 file made, 2 reused")

    let json = try await Tool.run(Places.tessera, ["why", output, "gone", "--json"])
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["status"] as? String == "failed")
    #expect((object?["decisions"] as? [String])?.count == 2)
    #expect(
      ((object?["error"] as? [String: Any])?["remedy"] as? String)?.hasPrefix("correct the URL")
        == true)
    let unknown = try await Tool.run(Places.tessera, ["why", output, "twiin"])
    #expect(unknown.status == 2)
    #expect(
      unknown.errors.contains(
        "no item of the last run has the id \"twiin\"; there are \"twin\"\n"))
    #expect(try await Tool.run(Places.tessera, ["why", fixture.folder.path(""), "a"]).status == 2)
  }

  /// A signal ends each command at its next image. Nothing that is not complete is left.
  @Test(
    .faults(.f20),
    arguments: [
      (["export", "OUT", "--as", "android", "--to", "TARGET"], SIGINT, 130),
      (["export", "OUT", "--as", "android", "--to", "TARGET"], SIGTERM, 143),
      (["export", "OUT", "--as", "html", "--to", "TARGET"], SIGINT, 130),
      (["gallery", "OUT", "--limit", "1000000"], SIGTERM, 143),
      (["verify", "OUT", "--deep", "--remove-broken"], SIGINT, 130),
      (["prune", "OUT"], SIGINT, 130),
    ] as [([String], Int32, Int32)])
  func aSignalLeavesNoDraft(_ words: [String], _ number: Int32, _ status: Int32) async throws {
    let fixture = try await Self.made(["plain.jpg"])
    let folder = fixture.folder
    // The same image under many ids, so that the command works for seconds.
    let lines = try fixture.catalogText.split(separator: "\n").map(String.init)
    try #require(lines.count == 3 && lines[1].contains("\"id\":\"plain.jpg\""))
    let images = (0..<20_000).map { index in
      lines[1].replacing("\"id\":\"plain.jpg\"", with: "\"id\":\"\(index)\"", maxReplacements: 1)
    }
    let head = lines[0].replacing(/"digest":"[^"]+",/, with: "")
      .replacing(#","count":1,"images":["#, with: "}")
    try folder.write(RunFixture.document(images, head: head), to: "out/catalog.json")
    let before = Set(folder.files(below: "out/variants"))
    let running = try Tool.start(
      Places.tessera,
      words.map { word in
        ["OUT": folder.path("out"), "TARGET": folder.path("target")][word] ?? word
      })
    // It works when it has its draft, or the lock of the output.
    func hasBegun() -> Bool {
      let names = ["", "out"].flatMap { below in
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path(below))) ?? []
      }
      let holder = try? folder.text("out/.tessera/lock")
      return names.contains { $0.hasSuffix(".new") } || holder == "\(running.pid)\n"
    }
    for _ in 0..<1_000 where !hasBegun() { try await Task.sleep(for: .milliseconds(5)) }
    running.signal(number)
    let result = await running.end()
    #expect(result.status == status)
    #expect(result.errors == "tessera: stopped\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(Set(names) == ["manifest", "feed.yaml", "out"])
    let inside = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
    #expect(Set(inside) == [".tessera", "catalog.json", "run.json", "variants"])
    #expect(Set(folder.files(below: "out/variants")) == before)
  }
}

extension Data {
  fileprivate var withLastByteFlipped: Data {
    var copy = self
    if let last = copy.indices.last { copy[last] ^= 1 }
    return copy
  }
}
