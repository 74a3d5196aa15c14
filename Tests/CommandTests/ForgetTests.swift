import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraOutput
import TesseraTestSupport
import Testing

/// `forget` leaves nothing of an image (promise 13, P6), and the others as they are.
@Suite struct ForgetTests {
  private static let names = ["plain.jpg", "grey.png", "display-p3.jpg", "lossy.webp"]

  /// An output in which everything is that names an image: screens, changes, tables, kept catalogs, a gallery, a cache, results of
  /// shards, a damaged state, and files of earlier sources.
  private static func output(_ server: FaultServer) async throws -> RunFixture {
    for name in names { server.route("/\(name)") { $1.fixture(name) } }
    let lines = names.map { name in
      #"{"id":"id-\#(name)","url":"\#(server.url("/\(name)"))"}"# + "\n"
    }
    let keys = """
      tables: {avatar: {scales: [1], pixels: [bgra8, webp]}}
      catalog: {profile: full, changes: 3, screens: {feed: {slots: [card], first: 1, part: 10}}}
      base-url: https://cdn.example.com/
      fetch: {allow: loopback, retries: 0, cache: 10MB, revalidate: always}
      """
    let fixture = try RunFixture(manifest: lines.joined(), keys: keys)
    // An earlier catalog with fewer images, and other bytes under the same id.
    server.route("/plain.jpg") { $1.fixture("rotated-phone-shot.jpg") }
    try fixture.folder.write(lines.dropLast().joined(), to: "manifest")
    #expect(try await fixture.run().status == 0)
    try fixture.folder.write(lines.joined(), to: "manifest")
    #expect(try await fixture.run().status == 0)
    server.route("/plain.jpg") { $1.fixture("plain.jpg") }
    #expect(try await fixture.run().status == 0)
    // One that fails, so that reports name it.
    server.route("/plain.jpg") { $1.respond("503 Service Unavailable") }
    #expect(try await fixture.run().status == 1)
    server.route("/plain.jpg") { $1.fixture("plain.jpg") }
    #expect(try await fixture.run().status == 0)
    let out = fixture.folder.path("out")
    #expect(try await Tool.tessera("gallery", out).status == 0)
    let database = try await Tool.tessera(
      "export", out, "--as", "sqlite", "--to", "\(out)/catalog.sqlite")
    #expect(database.status == 0, "\(database.errors)")
    try fixture.write(keys: "fetch: {allow: loopback, retries: 0, cache: 10MB, revalidate: always}")
    for shard in 0..<2 { #expect(try await fixture.run("--shard", "\(shard)/2").status == 0) }
    try fixture.write(keys: keys)
    // Free pages with traces, as versions of SQLite leave them that do not overwrite.
    let state = fixture.folder.path("out/.tessera/state.sqlite")
    let program = """
      import sqlite3, sys
      state = sqlite3.connect(sys.argv[1])
      state.execute("PRAGMA secure_delete = OFF")
      state.execute("CREATE TABLE was (line TEXT)")
      state.executemany("INSERT INTO was VALUES (?)", [(sys.argv[2] * 200,)] * 40)
      state.commit()
      state.execute("DROP TABLE was")
      state.commit()
      state.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      """
    let left = try await Tool.run(
      "/usr/bin/python3", ["-c", program, state, "id-plain.jpg" + server.url("/plain.jpg")])
    #expect(left.status == 0, "\(left.errors)")
    try FileManager.default.copyItem(
      atPath: fixture.folder.path("out/.tessera/state.sqlite"),
      toPath: fixture.folder.path("out/.tessera/state.sqlite.damaged"))
    return fixture
  }

  /// All files below the output, by path.
  private static func contents(_ fixture: RunFixture) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for path in FileManager.default.subpaths(atPath: fixture.folder.path("out")) ?? [] {
      var isFolder: ObjCBool = false
      let whole = fixture.folder.path("out/\(path)")
      guard FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder),
        !isFolder.boolValue
      else { continue }
      found[path] = try Data(contentsOf: URL(filePath: whole))
    }
    return found
  }

  /// Everything by which an image is known.
  private static func traces(_ fixture: RunFixture, _ server: FaultServer) throws -> [String] {
    let url = server.url("/plain.jpg")
    let sources = try ["plain.jpg", "rotated-phone-shot.jpg"].map {
      SHA256.of(try Places.bytes($0))
    }
    return ["id-plain.jpg", url, SHA256.of(url)] + sources
  }

  private static func expectNothing(
    of traces: [String], _ bytes: [Data], in contents: [String: Data]
  ) {
    for (path, data) in contents {
      for trace in traces {
        #expect(data.range(of: Data(trace.utf8)) == nil, "\(path) has \(trace)")
        #expect(data.range(of: trace.keyBytes) == nil, "\(path) has the bytes of \(trace)")
        #expect(!path.contains(trace))
      }
      for file in bytes { #expect(data.range(of: file) == nil, "\(path) has the image") }
    }
  }

  @Test(.faults(.p6)) func nothingRemains() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    let fixture = try await Self.output(server)
    let before = try Self.contents(fixture)
    let traces = try Self.traces(fixture, server)
    // The list of places is complete: every file belongs to one, so `forget` has looked at it.
    for path in before.keys { #expect(OutputPlace.of(path) != nil, "\(path)") }
    // Otherwise the test would prove nothing.
    for (place, path) in [
      ("catalog", "catalog.json"), ("gallery", "gallery.html"), ("database", "catalog.sqlite"),
      ("kept", ".tessera/catalogs/"),
      ("screens", "screens/feed/first.json"), ("changes", "from-"), ("shards", "shards/2/"),
      ("state", ".tessera/state.sqlite"),
      ("shard", ".tessera/shards/2/"), ("damaged", ".tessera/state.sqlite.damaged"),
    ] {
      #expect(
        before.contains {
          $0.key.hasPrefix(path) && $0.value.range(of: Data(traces[0].utf8)) != nil
        },
        "\(place)")
    }
    #expect(before.keys.contains { $0 == ".tessera/cache/\(traces[3])" })
    for trace in traces[2...] {
      #expect(before[".tessera/state.sqlite"]?.range(of: trace.keyBytes) != nil, "\(trace)")
    }
    let catalog = try fixture.catalog
    let own = try #require(catalog.images.first { $0.id == "id-plain.jpg" })
    let others = catalog.images.filter { $0.id != "id-plain.jpg" }
    let paths = own.variants.compactMap(\.path)
    let bytes = try paths.map { try fixture.folder.read("out/\($0)") }
    // That of the source, which the names of its files begin with.
    let source = try #require(own.source)
    #expect(before[".tessera/state.sqlite"]?.range(of: Data(source.utf8)) != nil)
    let tables = before.keys.filter { $0.hasPrefix("tables/") }

    let result = try await Tool.tessera(
      "forget", fixture.folder.path("out"), "id-plain.jpg", "--json")
    #expect(result.status == 0, "\(result.errors)")
    let after = try Self.contents(fixture)
    Self.expectNothing(of: traces + [source], bytes, in: after)
    let purge = try #require(
      (try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])?["purge"]
        as? [String])
    for path in own.variants.compactMap(\.path) + ["catalog.json", "gallery.html"] {
      #expect(purge.contains("https://cdn.example.com/\(path)"), "\(purge)")
    }
    for table in tables {
      #expect(after[table] == nil && purge.contains("https://cdn.example.com/\(table)"))
    }
    // The others are as before, with their files.
    #expect(try fixture.catalog.images == others)
    for path in others.flatMap(\.variants).compactMap(\.path) {
      #expect(after[path] == before[path])
    }
    let verified = try await Tool.tessera("verify", fixture.folder.path("out"), "--deep")
    #expect(verified.status == 0, "\(verified.output)")
    let back = try await Tool.tessera("rollback", fixture.folder.path("out"))
    #expect(back.status == 0, "\(back.errors)")
    Self.expectNothing(of: traces, bytes, in: try Self.contents(fixture))

    // Later runs leave it out, and request nothing of it.
    let requests = server.count("/plain.jpg")
    let run = try await fixture.run()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("3 images, 1 forgotten and left out: 3 ok"), "\(run.output)")
    try fixture.write(keys: "fetch: {allow: loopback, retries: 0, cache: 10MB, revalidate: always}")
    for shard in 0..<2 {
      let part = try await fixture.run("--shard", "\(shard)/2")
      #expect(part.status == 0, "\(part.errors)")
    }
    #expect(server.count("/plain.jpg") == requests)
    Self.expectNothing(of: traces, bytes, in: try Self.contents(fixture))
    #expect(try fixture.catalog.images.map(\.id) == others.map(\.id))

    // Again is not an error, and an image that is not known changes nothing.
    #expect(
      try await Tool.tessera("forget", fixture.folder.path("out"), "id-plain.jpg").status == 0)
    let unknown = try await Tool.tessera(
      "forget", fixture.folder.path("out"), "id-grey.png", "typo")
    #expect(unknown.status == 2)
    #expect(
      unknown.errors.contains("has no image \"typo\"; nothing was changed"), "\(unknown.errors)")
    #expect(try fixture.catalog.images.count == 3)

    // Until a person wants it back.
    #expect(
      try await Tool.tessera(
        "forget", fixture.folder.path("out"), "id-plain.jpg", "--undo"
      ).output == "the next run has id-plain.jpg again, if the manifest has it\n")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images.count == 4)
    #expect(server.count("/plain.jpg") == requests + 1)
  }

  /// By its URL, also a signed one; the same bytes under another id stay.
  @Test(.faults(.p6)) func imagesAreFoundByTheirURLs() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    for path in ["/a.jpg?sv=1&sig=s", "/b.jpg"] { server.route(path) { $1.fixture("plain.jpg") } }
    let fixture = try RunFixture(
      manifest: server.url("/a.jpg?sv=1&sig=s") + "\n" + server.url("/b.jpg") + "\n")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images.map(\.id) == [server.url("/a.jpg"), server.url("/b.jpg")])
    let output = fixture.folder.path("out")
    let result = try await Tool.tessera("forget", output, "--url", server.url("/a.jpg?sv=1&sig=t"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.output.contains("other images have the same bytes, so these files stay: variants/"))
    #expect(try fixture.catalog.images.map(\.id) == [server.url("/b.jpg")])
    #expect(try await Tool.tessera("verify", output, "--deep").status == 0)
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images.map(\.id) == [server.url("/b.jpg")])
    // Also under another id.
    try fixture.folder.write(
      #"{"id":"new","url":"\#(server.url("/a.jpg?sv=1&sig=s"))"}"# + "\n"
        + #"{"url":"\#(server.url("/b.jpg"))"}"# + "\n", to: "manifest")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images.map(\.id) == [server.url("/b.jpg")])
    #expect(server.count("/a.jpg?sv=1&sig=s") == 1)
  }

  /// An image that was forgotten by its id does not come back under another id and another ignored parameter.
  @Test func anIgnoredParameterBringsNoImageBack() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    func line(_ id: String, _ path: String) -> String {
      #"{"id":"\#(id)","url":"\#(nginx.url(path))"}"# + "\n"
    }
    let fixture = try RunFixture(
      manifest: line("a", "/plain.jpg?v=1") + line("b", "/grey.png"),
      keys: "fetch: {allow: loopback, retries: 0, ignore-query: [v]}")
    #expect(try await fixture.run().status == 0)
    #expect(try await Tool.tessera("forget", fixture.folder.path("out"), "a").status == 0)
    try fixture.folder.write(line("c", "/plain.jpg?v=2") + line("b", "/grey.png"), to: "manifest")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    #expect(try fixture.catalog.images.map(\.id) == ["b"])
  }

  /// A kill before any call that changes the disk: the same command then leaves nothing.
  @Test(.faults(.p6)) func aKillLeavesNothingForTheNextCall() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    let whole = try await Self.output(server)
    let traces = try Self.traces(whole, server)
    let tools = try TemporaryFolder()
    let root = whole.folder.path("copy/out")
    let shim = try await Shim(in: tools, for: "")
      .with(root: root, image: tools.path("image"))
    let count = try await shim.count("change") { environment in
      let copy = try Self.copy(whole)
      #expect(
        try await Tool.run(
          Places.tessera, ["forget", copy, "id-plain.jpg"], environment: environment
        ).status == 0)
    }
    #expect(count > 30)
    for number in stride(from: 1, through: count, by: 7) {
      let copy = try Self.copy(whole)
      _ = try await Tool.run(
        Places.tessera, ["forget", copy, "id-plain.jpg"],
        environment: shim.killing("change", at: number))
      let again = try await Tool.tessera("forget", copy, "id-plain.jpg")
      #expect(again.status == 0, "\(number): \(again.errors)")
      for path in FileManager.default.subpaths(atPath: copy) ?? [] {
        guard let data = FileManager.default.contents(atPath: "\(copy)/\(path)") else { continue }
        for trace in traces {
          #expect(data.range(of: Data(trace.utf8)) == nil, "\(number): \(path) has \(trace)")
          #expect(data.range(of: trace.keyBytes) == nil, "\(number): \(path) has \(trace)")
        }
      }
      #expect(try await Tool.tessera("verify", copy, "--deep").status == 0, "\(number)")
    }
  }

  private static func copy(_ fixture: RunFixture) throws -> String {
    let target = fixture.folder.path("copy/out")
    try? FileManager.default.removeItem(atPath: fixture.folder.path("copy"))
    try FileManager.default.createDirectory(
      atPath: fixture.folder.path("copy"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: fixture.folder.path("out"), toPath: target)
    return target
  }

  /// The id of a product's further image follows from its URL: at another address it is another one.
  @Test(.faults(.p6)) func aFurtherImageStaysAwayAtAnotherAddress() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    for (index, path) in ["/old/1.jpg", "/old/2.jpg", "/old/3.jpg"].enumerated() {
      for path in [path, path.replacing("old", with: "new")] {
        server.route(path) { $1.fixture(Self.names[index]) }
      }
    }
    func list(_ folder: String) -> String {
      "id,image\n" + (1...3).map { "p,\(server.url("/\(folder)/\($0).jpg"))\n" }.joined()
    }
    let fixture = try RunFixture(
      manifest: list("old"), keys: "columns: {url: image, id: id}\nfetch: {allow: loopback}")
    #expect(try await fixture.run().status == 0)
    func ids() throws -> [String] {
      try Catalog(reading: fixture.folder.read("out/catalog.json")).images.map(\.id)
    }
    let before = try ids()
    #expect(before.count == 3 && before[0] == "p")
    let forgotten = try await Tool.tessera("forget", fixture.folder.path("out"), before[1])
    #expect(forgotten.status == 0, "\(forgotten.errors)")

    try fixture.folder.write(list("new"), to: "manifest")
    #expect(try await fixture.run("--allow-loss").status == 0)
    let after = try Catalog(reading: fixture.folder.read("out/catalog.json")).images
    #expect(after.map { $0.url?.suffix(10) } == ["/new/1.jpg", "/new/3.jpg"])
    let undone = try await Tool.tessera("forget", fixture.folder.path("out"), before[1], "--undo")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try await fixture.run().status == 0)
    #expect(try ids().count == 3)
  }
}
