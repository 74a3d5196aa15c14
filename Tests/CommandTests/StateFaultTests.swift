import Foundation
import Synchronization
import TesseraBytes
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Damaged states and outputs (group F of faults): the last good catalog is unchanged, or the next
/// one is right.
@Suite struct StateFaultTests {
  private static func finished(_ nginx: Nginx, keys: String = "") async throws -> RunFixture {
    let names = ["plain.jpg", "grey.png", "animated.gif"]
    let fixture = try RunFixture(
      manifest: names.map { nginx.url("/\($0)") + "\n" }.joined(), keys: keys)
    #expect(try await fixture.run().status == 0)
    return fixture
  }

  private static func state(_ fixture: RunFixture) -> URL {
    URL(filePath: fixture.folder.path("out/.tessera/state.sqlite"))
  }

  /// Truncated at every page, empty, or with changed bytes: the catalog is the same (F9).
  @Test(.faults(.f9)) func damagedStateNeverChangesTheCatalog() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try await Self.finished(nginx)
    let text = try fixture.catalogText
    let whole = try Data(contentsOf: Self.state(fixture))
    var generator = SplitMix(seed: 9)
    var damaged = stride(from: 0, to: whole.count, by: 4096).map { whole.prefix($0) }
    for _ in 0..<12 {
      var copy = whole
      for _ in 0..<20 {
        copy[Int.random(in: 100..<copy.count, using: &generator)] ^= UInt8.random(
          in: 1...255, using: &generator)
      }
      damaged.append(copy)
    }
    for (index, bytes) in damaged.enumerated() {
      for suffix in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: Self.state(fixture).path + suffix)
      }
      try bytes.write(to: Self.state(fixture))
      let result = try await fixture.run()
      #expect(result.status == 0, "\(index): \(result.errors)")
      let made = try fixture.catalogText
      #expect(made == text, "\(index)")
      try await fixture.expectWhole()
    }
    await nginx.stop()
  }

  /// One to four flipped bits anywhere in the state (S1): the right catalog with status 0, or status 2, or a state that
  /// was rebuilt, with a sentence; never a wrong catalog.
  @Test(.faults(.s1)) func flippedBitsNeverMakeAWrongCatalog() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    // Ids in another order than that of their numbers, so that indices and rows differ.
    let items = (0..<150).map { index in
      let id = SHA256.of("\(index)").prefix(12)
      return #"{"id":"\#(id)","url":"\#(nginx.url("/one-pixel.png?\(index)"))"}"# + "\n"
    }
    let begun = try RunFixture(
      manifest: items.joined(), keys: "fetch: {allow: loopback, retries: 0, revalidate: never}",
      slots: "slots: {a: {size: 10x}}")
    #expect(try await begun.run().status == 0)
    let text = try begun.catalogText
    let whole = try Data(contentsOf: Self.state(begun))
    let rounds = isSoak ? 1_000 : 60
    let outcomes = Mutex<[String: Int]>([:])
    try await forEach(Array(0..<rounds), atATime: 2) { round in
      var generator = SplitMix(seed: UInt64(round))
      let fixture = try RunFixture(
        manifest: items.joined(), keys: "fetch: {allow: loopback, retries: 0, revalidate: never}",
        slots: "slots: {a: {size: 10x}}")
      try FileManager.default.copyItem(
        atPath: begun.folder.path("out"), toPath: fixture.folder.path("out"))
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
          1 << UInt8.random(in: 0..<8, using: &generator)
      }
      try bytes.write(to: Self.state(fixture))
      let result = try await fixture.run()
      let made = try fixture.catalogText
      #expect(made == text, "\(round): \(result.errors)")
      let isRebuilt = result.errors.contains("warning: ")
      #expect(
        result.status == 0 || result.status == 2 && result.errors.contains("tessera: "),
        "\(round): \(result.status) \(result.errors)")
      outcomes.withLock {
        $0[result.status == 2 ? "status 2" : isRebuilt ? "rebuilt" : "as before", default: 0] += 1
      }
      // What the state believes now is right, too.
      let next = try await fixture.run()
      let again = try fixture.catalogText
      #expect(again == text && next.status != 1, "\(round): \(next.errors)")
    }
    await nginx.stop()
    let counts = outcomes.withLock(\.self)
    #expect(counts.values.reduce(0, +) == rounds)
    print("flipped bits:", counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })
  }

  /// Where the pages of a file begin that have a text more than five times.
  private static func pages(of file: Data, withMany text: String) -> [Int] {
    stride(from: 4096, to: file.count, by: 4096).filter { start in
      var (found, place) = (0, start)
      while let next = file[place..<start + 4096].range(of: Data(text.utf8)) {
        (found, place) = (found + 1, next.upperBound)
      }
      return found > 5
    }
  }

  /// A damaged page costs requests and decodes; files keep their names, and their bytes.
  @Test func filesOfADamagedStateAreFoundAgain() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let items = (0..<300).map { nginx.url("/one-pixel.png?\($0)") + "\n" }
    let fixture = try RunFixture(manifest: items.joined())
    #expect(try await fixture.run().status == 0)
    let (text, files) = (
      try fixture.catalogText, fixture.folder.files(below: "out/variants").sorted()
    )
    let whole = try Data(contentsOf: Self.state(fixture))
    // Pages with many validators hold sources: an ETag of nginx ends with the size of the file.
    let size = String(try Places.bytes("one-pixel.png").count, radix: 16)
    let pages = Self.pages(of: whole, withMany: "-\(size)\"")
    try #require(pages.count >= 5)
    let page = pages[2]..<pages[2] + 4096
    let noise = Data(repeating: 0x5A, count: 4096)
    var damaged = whole
    damaged.replaceSubrange(page, with: noise)
    try damaged.write(to: Self.state(fixture))
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("and everything is fetched again"), "\(result.errors)")
    #expect(try fixture.catalogText == text)
    let report = try fixture.report
    #expect(report["fetch.notModified"] == 0 && report["fetch.requests"] == 300, "\(report)")
    #expect(fixture.folder.files(below: "out/variants").sorted() == files)
    // The damaged file is kept, including what the run wrote before it met the damage.
    let kept = try fixture.folder.read("out/.tessera/state.sqlite.damaged")
    try #require(kept.count >= whole.count)
    #expect(kept[page] == noise)
    await nginx.stop()
  }

  /// A run may not read where a state is damaged; a removal that the law asks for does not wait until one does.
  @Test func toolsRepairADamagedState() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let items = (0..<300).map {
      #"{"id":"item-number-\#($0)","url":"\#(nginx.url("/one-pixel.png?\($0)"))"}"# + "\n"
    }
    let fixture = try RunFixture(manifest: items.joined())
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let output = fixture.folder.path("out")
    var damaged = try Data(contentsOf: Self.state(fixture))
    let pages = Self.pages(of: damaged, withMany: "item-number-")
    try #require(pages.count >= 3)
    let middle = pages[pages.count / 2]
    for page in pages {
      damaged.replaceSubrange(page..<page + 4096, with: Data(repeating: 0x5A, count: 4096))
    }
    func damage() throws { try damaged.write(to: Self.state(fixture)) }
    try damage()
    // It changes nothing, so it repairs nothing.
    let dry = try await Tool.tessera("prune", output, "--dry-run")
    #expect(
      dry.status == 2 && dry.errors.contains("tessera prune or the next run sets it aside"),
      "\(dry.errors)")
    #expect(try Data(contentsOf: Self.state(fixture)) == damaged)
    let prune = try await Tool.tessera("prune", output)
    #expect(prune.status == 0 && prune.output.hasPrefix("0 files deleted"), "\(prune.errors)")
    #expect(prune.errors.contains("it was set aside as"), "\(prune.errors)")
    #expect(try fixture.folder.read("out/.tessera/state.sqlite.damaged")[middle] == 0x5A)
    let again = try await Tool.tessera("prune", output, "--grace", "0s")
    #expect(again.status == 0 && !again.output.contains("of the state"), "\(again.output)")
    try damage()
    let verify = try await Tool.tessera("verify", output, "--remove-broken")
    #expect(verify.status == 0, "\(verify.errors)")
  }

  /// Wherever a state is damaged, nothing of an image remains after `forget`, and its purge list is whole.
  @Test func aDamagedStateKeepsNothingOfAForgottenImage() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = ["plain.jpg", "grey.png", "lossy.webp", "display-p3.jpg"]
    let items = (0..<60).map { index in
      #"{"id":"i\#(index)","url":"\#(nginx.url("/\(names[index % 4])?\(index)"))"}"# + "\n"
    }
    // One that has its bytes alone.
    let fixture = try RunFixture(
      manifest: items.joined() + #"{"id":"own","url":"\#(nginx.url("/cmyk.jpg"))"}"# + "\n",
      keys: "fetch: {allow: loopback, cache: 10MB}\nbase-url: https://cdn.example/")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let kept = fixture.folder.path("kept")
    _ = try await Tool.run("/bin/cp", ["-a", fixture.folder.path("out"), kept])
    let whole = try Data(contentsOf: Self.state(fixture))
    let digest = SHA256.of(try Places.bytes("cmyk.jpg"))
    let traces = [digest, SHA256.of(nginx.url("/cmyk.jpg"))]
    for page in stride(from: 4096, to: whole.count, by: whole.count / 12 / 4096 * 4096) {
      _ = try await Tool.run("/bin/rm", ["-r", fixture.folder.path("out")])
      _ = try await Tool.run("/bin/cp", ["-a", kept, fixture.folder.path("out")])
      var damaged = whole
      damaged.replaceSubrange(page..<page + 4096, with: Data(repeating: 0x5A, count: 4096))
      try damaged.write(to: Self.state(fixture))
      let forget = try await Tool.tessera("forget", fixture.folder.path("out"), "own")
      #expect(
        forget.status == 0 && forget.errors.contains("replaced by an empty one"), "\(forget.errors)"
      )
      #expect(
        forget.output.contains("https://cdn.example/catalog.json"), "\(page): \(forget.output)")
      let files = fixture.folder.files(below: "out")
      #expect(!files.contains { $0.contains(digest) || $0.contains(".damaged") }, "\(page)")
      let bytes = try Data(contentsOf: Self.state(fixture))
      for trace in traces {
        #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(page)")
        #expect(bytes.range(of: trace.keyBytes) == nil, "\(page)")
      }
      #expect(try !fixture.catalogText.contains("\"own\""))
    }
  }

  /// Recovery after a power cut removes no file outside `variants`, whatever paths a damaged state
  /// names.
  @Test func recoveryRemovesOnlyOwnFiles() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try await Self.finished(nginx)
    let text = try fixture.catalogText
    let precious = try fixture.folder.write("precious", to: "precious")
    let change = """
      UPDATE variants SET name = '../precious', run = 1 WHERE key = (SELECT min(key) FROM variants);
      UPDATE variants SET name = '', run = 1 WHERE key = (SELECT max(key) FROM variants);
      UPDATE runs SET boot = 'another', number = 1
      """
    let script =
      "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.executescript(sys.argv[2]); d.commit()"
    let changed = try await Tool.run(
      "/usr/bin/python3", ["-c", script, Self.state(fixture).path, change])
    try #require(changed.status == 0, "\(changed.errors)")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    #expect(FileManager.default.fileExists(atPath: precious))
    #expect(try fixture.catalogText == text)
    try await fixture.expectWhole()
    await nginx.stop()
  }

  /// Changed values in a database that SQLite considers valid are detected and ignored.
  @Test(arguments: [
    "UPDATE contents SET width = width + 1", "UPDATE contents SET frames = 3, alpha = 1",
    "UPDATE variants SET width = width + 1, height = 3",
    "UPDATE sources SET content = 'a' || content",
    "UPDATE sources SET fresh_until = 9e15, content = (SELECT max(content) FROM contents)",
    "UPDATE placeholders SET color = '#000000'",
    "UPDATE variants SET sha256 = (SELECT max(sha256) FROM variants)",
    "UPDATE items SET sum = 1", "UPDATE items SET made = (SELECT max(made) FROM items)",
    "UPDATE items SET chunk = (SELECT max(chunk) FROM items)", "UPDATE items SET run = run + 1",
    "UPDATE chunks SET records = zeroblob(640)", "DELETE FROM chunks",
    "UPDATE items SET entry = (SELECT max(entry) FROM items), done = 0, reason = NULL",
  ])
  func changedRecordsAreIgnored(_ change: String) async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try await Self.finished(nginx)
    let text = try fixture.catalogText
    let script =
      "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()"
    let changed = try await Tool.run(
      "/usr/bin/python3", ["-c", script, Self.state(fixture).path, change])
    try #require(changed.status == 0, "\(changed.errors)")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalogText == text)
    await nginx.stop()
  }

  /// A truncated, empty or invalid catalog is regenerated (F10).
  @Test(.faults(.f10)) func damagedCatalogIsRegenerated() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try await Self.finished(nginx)
    let name = "out/catalog.json"
    let text = try fixture.folder.text(name)
    for part in ["", String(text.prefix(100)), String(text.dropLast(3)), "noise"] {
      try fixture.folder.write(part, to: name)
      #expect(try await fixture.run().status == 0)
      #expect(try fixture.report["decodes"] == 0)
      #expect(try fixture.folder.text(name) == text)
    }
    await nginx.stop()
  }

  /// The date jumps a year back or ahead: a fresh source is revalidated at most once more (F12).
  @Test(.faults(.f12), arguments: [-365, 365])
  func changedDateDoesNotKeepSourcesFreshForever(_ days: Int) async throws {
    let server = try FaultServer([
      "/a": { request, connection in
        let headers = ["ETag": "\"1\"", "Cache-Control": "max-age=3600"]
        if request.headers["if-none-match"] == "\"1\"" {
          return connection.respond("304 Not Modified", headers)
        }
        connection.fixture("plain.jpg", headers)
      }
    ])
    defer { server.stop() }
    let fixture = try RunFixture(manifest: server.url("/a") + "\n")
    #expect(try await fixture.run().status == 0)
    let text = try fixture.catalogText
    for _ in 0..<2 {
      let result = try await fixture.run(daysAhead: days)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try fixture.catalogText == text)
    }
    #expect(server.count("/a") == 2)
    #expect(try await fixture.run().status == 0)
    #expect(server.count("/a") <= 3)
    #expect(try fixture.report["decodes"] == 0)
  }

  /// Few file descriptors, a strict umask, an output that cannot be written (F3, F13, F15).
  @Test(.faults(.f3)) func limitsAndPermissionsEndInAMessage() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try await Self.finished(nginx)
    let text = try fixture.catalogText
    let pipeline = fixture.folder.path("feed.yaml")
    let few = try await Tool.run(
      "/bin/sh", ["-c", "ulimit -n 32; exec \"$0\" run \"$1\"", Places.tessera, pipeline])
    #expect([0, 2].contains(few.status), "\(few.errors)")
    #expect(few.status == 0 || few.errors.contains("oo many open files"), "\(few.errors)")
    #expect(try fixture.catalogText == text)

    try FileManager.default.removeItem(atPath: fixture.folder.path("out"))
    let closed = try await Tool.run(
      "/bin/sh", ["-c", "umask 077; exec \"$0\" run \"$1\"", Places.tessera, pipeline])
    #expect(closed.status == 0, "\(closed.errors)")
    #expect(try fixture.catalogText == text)

    // A file in place of a folder.
    try FileManager.default.removeItem(atPath: fixture.folder.path("out/variants"))
    try fixture.folder.write("in the way", to: "out/variants")
    let blocked = try await fixture.run()
    #expect(blocked.status == 2)
    #expect(blocked.errors.contains("out/variants"), "\(blocked.errors)")
    #expect(try fixture.catalogText == text)
    await nginx.stop()
  }

  /// The fingerprint contains every key that affects files or the catalog, and no other key.
  @Test(.faults(.c10)) func fingerprintHasTheKeysThatMatter() async throws {
    let shaping = [
      "scales: [1]", "rounding: exact", "variants: {quality: 70}", "variants: {effort: 2}",
      "variants: {format: avif}", "variants: {oversized: png}", "variants: {background: \"#000\"}",
      "variants: {metadata: keep}", "variants: {animation: first-frame}",
      "variants: {gravity: north}", "placeholders: [blurhash]", "accept: [jpeg]", "fail-on: none",
      "limits: {pixels: 1MP}", "limits: {frames: 7}", "base-url: https://cdn.example.com/",
    ]
    let others = [
      "fetch: {retries: 9, allow: loopback}", "fetch: {timeout: 3s}",
      "fetch: {order: newest-first}",
      "workers: 1", "limits: {time: 9s}", "limits: {memory: 1GB}", "fail-above: 50%",
      "fetch: {cache: 1GB}", "fetch: {keep-stale: 1d}",
    ]
    let fixture = try RunFixture(manifest: "")
    func fingerprint(_ keys: String) async throws -> String {
      try fixture.write(keys: keys)
      let result = try await fixture.run()
      #expect(result.status == 0, "\(keys): \(result.errors)")
      return try fixture.catalog.pipeline.fingerprint
    }
    let usual = try await fingerprint("")
    var seen: Set<String> = [usual]
    for keys in shaping {
      let isNew = seen.insert(try await fingerprint(keys)).inserted
      #expect(isNew, "\(keys)")
    }
    for keys in others {
      let other = try await fingerprint(keys)
      #expect(other == usual, "\(keys)")
    }
    #expect(try await fingerprint("") == usual)
  }
}

extension String {
  /// The first bytes of a digest, as keys of the state have them; of another text, its own.
  var keyBytes: Data {
    let digits = Array(utf8.prefix(32))
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place in
      UInt8(String(decoding: digits[place...].prefix(2), as: UTF8.self), radix: 16)
    }
    return bytes.count == 16 ? Data(bytes) : Data(utf8)
  }
}
