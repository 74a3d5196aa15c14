import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// `tessera make`: files of some images without a pipeline.
@Suite struct MakeTests {
  private static func lines(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func filesOfImagesAndFoldersAreNamedForThem() async throws {
    let folder = try TemporaryFolder()
    try folder.write("no image", to: "set/deep/notes.txt")
    try Data(Places.bytes("grey.png")).write(to: folder.url.appending(path: "set/deep/grey.png"))
    let sources = [Places.fixture("plain.jpg").path, folder.path("set")]
    let made = try await Tool.run(
      Places.tessera,
      ["make"] + sources + [
        "--size", "60x", "--size", "40x40", "--to", folder.path("out"), "--json",
      ])
    #expect(made.status == 0, "\(made.errors)")
    let lines = try Self.lines(made.output)
    #expect(
      lines.map { $0["source"] as? String } == [sources[0], folder.path("set/deep/grey.png")])
    #expect(lines[0]["width"] as? Int == 240 && lines[0]["format"] as? String == "jpeg")
    let files = folder.files(below: "out")
    #expect(files.sorted() == files && files.contains("plain-60x40.webp"), "\(files)")
    #expect(files.contains("plain-40x27.webp"))
    #expect(files.count == lines.flatMap { $0["files"] as? [Any] ?? [] }.count)
    #expect(files.allSatisfy { $0.hasPrefix("plain-") || $0.hasPrefix("deep-grey-") }, "\(files)")
    // Again: what is there is as it should be.
    let again = try await Tool.run(
      Places.tessera, ["make", sources[0], "--size", "60x", "--to", folder.path("out")])
    let bytes = try folder.read("out/plain-60x40.webp").count
    #expect(again.output == "\(folder.path("out"))/plain-60x40.webp: 60 x 40, \(bytes) B\n")
  }

  @Test func whatIsThereIsReplacedOnlyByForce() async throws {
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "plain-60x40.jpg")
    func make(_ options: String...) async throws -> Tool.Result {
      try await Tool.run(
        Places.tessera,
        ["make", Places.fixture("plain.jpg").path, "--size", "60x", "--format", "jpeg"]
          + ["--quality", "70", "--to", folder.path("")] + options)
    }
    let kept = try await make()
    #expect(kept.status == 1 && kept.errors.contains("exists already"), "\(kept.errors)")
    #expect(try folder.text("plain-60x40.jpg") == "mine")
    #expect(try await make("--force").status == 0)
    #expect(try folder.read("plain-60x40.jpg").starts(with: [0xFF, 0xD8]))
    // Nothing else is left there.
    #expect(folder.files(below: "") == ["plain-60x40.jpg"])
    // A folder of that name stays.
    try FileManager.default.removeItem(atPath: folder.path("plain-60x40.jpg"))
    try folder.write("mine", to: "plain-60x40.jpg/file")
    let other = try await make("--force")
    #expect(other.status == 1 && other.errors.contains("is not a regular file"), "\(other.errors)")
    #expect(folder.files(below: "") == ["plain-60x40.jpg/file"])
  }

  /// Otherwise the next call would take its own files for images.
  @Test func theFilesAreNotAmongTheImages() async throws {
    let folder = try TemporaryFolder()
    try folder.write("no image", to: "set/notes.txt")
    try Data(Places.bytes("grey.png")).write(to: folder.url.appending(path: "set/grey.png"))
    for target in ["set", "set/thumbs"] {
      let made = try await Tool.tessera(
        "make", folder.path("set"), "--size", "60x", "--to", folder.path(target))
      #expect(made.status == 64 && made.errors.contains("among the images"), "\(made.errors)")
    }
    let long = String(repeating: "x", count: 240)
    try Data(Places.bytes("grey.png")).write(to: folder.url.appending(path: "set/\(long).png"))
    let made = try await Tool.tessera(
      "make", folder.path("set"), "--size", "60x", "--to", folder.path("out"))
    #expect(made.status == 0, "\(made.errors)")
    #expect(folder.files(below: "out").count == 2)
  }

  @Test func aBrokenImageIsOneOfSeveral() async throws {
    let folder = try TemporaryFolder()
    let made = try await Tool.tessera(
      "make", Places.fixture("truncated.jpg").path, Places.fixture("plain.jpg").path, "--size",
      "60x", "--to", folder.path(""), "--json")
    #expect(made.status == 1)
    let lines = try Self.lines(made.output)
    #expect((lines[0]["error"] as? [String: Any])?["code"] as? String == "decode")
    #expect((lines[0]["files"] as? [Any])?.isEmpty == true)
    #expect(folder.files(below: "") == ["plain-60x40.webp"])
  }

  /// In the words of the command line.
  @Test(arguments: [
    (["--size", "3q"], "--size must be a size in points"),
    (["--size", "30x", "--mode", "clip"], "--size: mode clip needs both sides"),
    (["--size", "30x", "--format", "bmp"], "--format must be one of"),
    ([], "--size"),
  ])
  func mistakesAreNamed(_ options: [String], _ sentence: String) async throws {
    let made = try await Tool.run(
      Places.tessera, ["make", Places.fixture("plain.jpg").path] + options)
    #expect(made.status == 64 && made.errors.contains(sentence), "\(made.errors)")
  }
}

/// The output that tools work on if none is named, or if a pipeline file is.
@Suite struct NamedOutputTests {
  private static func tessera(_ folder: String, _ words: String...) async throws -> Tool.Result {
    try await Tool.run(
      "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", folder, Places.tessera] + words)
  }

  @Test func thePipelinesOutputIsFound() async throws {
    let fixture = try RunFixture(
      manifest: #"{"id":"a","url":"file://\#(Places.fixture("plain.jpg").path)"}"# + "\n",
      keys: "fetch: {allow: \"files:\(Places.fixtures.path)\"}")
    #expect(try await fixture.run().status == 0)
    let (folder, path) = (fixture.folder.path(""), fixture.folder.path("feed.yaml"))
    // Without a name for it, the command is as incomplete as before.
    let none = try await Self.tessera(folder, "status")
    #expect(none.status == 64 && none.errors.contains("missing operands"), "\(none.errors)")
    #expect(try await Self.tessera("/", "status", path).output.contains(" run   done "))
    try FileManager.default.moveItem(
      atPath: path, toPath: fixture.folder.path("pipeline.yaml"))
    for words in [["status"], ["verify"], ["prune"], ["gallery"], ["rollback", "--list"]] {
      let result = try await Tool.run(
        "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", folder, Places.tessera] + words)
      #expect(result.status == 0, "\(words): \(result.errors)")
    }
    let why = try await Self.tessera(folder, "why", "a")
    #expect(why.output.hasPrefix("a, line 1 of the manifest: ok\n"), "\(why.errors)")
    // What is no output is an image.
    let unknown = try await Self.tessera(folder, "forget", "outt", "a")
    #expect(unknown.status == 2 && unknown.errors.contains("\"outt\""), "\(unknown.errors)")
    #expect(try await Self.tessera(folder, "forget", "a").status == 0)
    // A mark is not lifted by the way, if the word before it was to be another output.
    let undone = try await Self.tessera(folder, "forget", "outt", "a", "--undo")
    #expect(
      undone.status == 2 && undone.errors.contains("not forgotten \"outt\""), "\(undone.errors)")
    let forgotten = try await Self.tessera(folder, "why", "out", "a")
    #expect(forgotten.errors.contains("was forgotten"), "\(forgotten.errors)")
  }

  @Test func anImageIsFoundByItsURL() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let url = nginx.url("/plain.jpg")
    let fixture = try RunFixture(manifest: #"{"id":"a","url":"\#(url)?token=secret"}"# + "\n")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let out = fixture.folder.path("out")
    let shown = try #require(try fixture.catalog.images.first?.url)
    for text in [shown, "\(url)?token=secret"] {
      let why = try await Tool.tessera("why", out, text)
      #expect(why.output.hasPrefix("a, line 1"), "\(text): \(why.errors)")
    }
    let other = try await Tool.tessera("why", out, url + "x")
    #expect(other.status == 2 && other.errors.contains("no item of the last run"))
  }

  /// One that only an earlier catalog has, with its URL for an id, is looked up once.
  @Test func anEarlierImageIsNotLookedUpForever() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let url = nginx.url("/plain.jpg")
    let fixture = try RunFixture(
      manifest: "\(url)\n\(nginx.url("/grey.png"))\n", keys: "shrink-above: 100%")
    #expect(try await fixture.run().status == 0)
    try fixture.folder.write("\(nginx.url("/grey.png"))\n", to: "manifest")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let out = fixture.folder.path("out")
    #expect(try await Tool.tessera("rollback", out).status == 0)
    let why = try await Tool.tessera("why", out, url)
    #expect(why.status == 2 && why.errors.contains("no item of the last run"), "\(why.errors)")
  }

  @Test func aRunWaitsForAnother() async throws {
    let fixture = try RunFixture(
      manifest: "file://\(Places.fixture("plain.jpg").path)\n",
      keys: "fetch: {allow: \"files:\(Places.fixtures.path)\"}")
    #expect(try await fixture.run().status == 0)
    // Another process has the lock until it is ended.
    let lock = fixture.folder.path("out/.tessera/lock")
    let holder = try Tool.start(
      "/usr/bin/flock", ["--exclusive", "--no-fork", lock, "sleep", "60"])
    for _ in 0..<100
    where try await Tool.run("/usr/bin/flock", ["--nonblock", lock, "true"]).status == 0 {}
    #expect(try await fixture.run().status == 75)
    #expect(try await fixture.run("--wait", "1s").status == 75)
    let waiting = try fixture.start("--wait", "1m")
    try await Task.sleep(for: .seconds(1))
    #expect(!waiting.hasEnded)
    holder.signal(SIGKILL)
    let waited = await waiting.end()
    #expect(waited.status == 0, "\(waited.errors)")
    #expect(waited.errors.contains("waiting for it"), "\(waited.errors)")
    _ = await holder.end()
  }
}
