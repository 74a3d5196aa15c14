import Foundation
import TesseraTestSupport
import Testing

/// `run --shard`, `merge` and `split`: several runs make what one makes.
@Suite struct ShardTests {
  private static let images = [
    "plain.jpg", "grey.png", "animated.gif", "truncated.jpg", "one-pixel.png", "orientation-6.jpg",
    "transparent.png", "cmyk.jpg", "display-p3.jpg", "missing.jpg",
  ]

  /// Each image twice, a repeated line, a conflict, and lines that can't be used.
  private static func manifest(_ nginx: Nginx) -> String {
    var lines = images.flatMap { name in
      [1, 2].map { #"{"id":"\#(name) \#($0)","url":"\#(nginx.url("/\(name)"))"}"# }
    }
    lines.insert("", at: 3)
    lines.insert(lines[0], at: 5)
    lines.insert(#"{"id":"plain.jpg 1","url":"\#(nginx.url("/grey.png"))"}"#, at: 7)
    lines.insert("nonsense", at: 9)
    lines.append(#"{"url":"\#(nginx.url("/plain.jpg?token=1"))","extra":{"n":1.50}}"#)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fixture(_ nginx: Nginx, keys: String = "") throws -> RunFixture {
    try RunFixture(manifest: manifest(nginx), keys: keys)
  }

  private static func run(
    _ fixture: RunFixture, _ shard: Int, of count: Int = 8, _ options: String...
  ) async throws -> Tool.Result {
    try await Tool.run(
      Places.tessera,
      ["run", fixture.folder.path("feed.yaml"), "--shard", "\(shard)/\(count)"] + options)
  }

  private static func merge(_ fixture: RunFixture, _ options: String...) async throws -> Tool.Result
  {
    try await Tool.run(Places.tessera, ["merge", fixture.folder.path("out")] + options)
  }

  /// What one run makes: the catalog, and the names of all files.
  private static func result(_ fixture: RunFixture) throws -> [String] {
    [try fixture.catalogText]
      + fixture.folder.files(below: "out/variants").sorted()
  }

  @Test func shardsMakeTheCatalogOfOneRun() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let keys = "catalog: {profile: full}"
    let whole = try Self.fixture(nginx, keys: keys)
    #expect(try await whole.run().status == 1)
    let fixture = try Self.fixture(nginx, keys: keys)
    var statuses: Set<Int32> = []
    for shard in 0..<8 { statuses.insert(try await Self.run(fixture, shard).status) }
    // Some have no image that fails.
    #expect(statuses == [0, 1])
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("out/catalog.json")))
    let merged = try await Self.merge(fixture)
    #expect(merged.status == 1)
    #expect(
      merged.output == """
        21 images of 8 shards: 17 ok, 4 failed
        2 lines of the manifest could not be used
        \(fixture.folder.path("out/catalog.json"))

        """)
    #expect(try Self.result(fixture) == Self.result(whole))
    // What the runs did adds up to what one does; a content in several shards is decoded by each.
    let (sum, one) = (try fixture.report, try whole.report)
    let errors = one.keys.filter { $0.hasPrefix("errors.") }
    #expect(errors.count == 2)
    for name in ["items.total", "items.ok", "items.failed", "manifestProblems.total"] + errors {
      #expect(sum[name] == one[name] && one[name] != nil, "\(name)")
    }
    #expect((one["decodes"] ?? 0)...20 ~= sum["decodes"] ?? 0)
    #expect(sum["workers.count"] == 8 * (one["workers.count"] ?? 0))
    #expect(try await Self.merge(fixture, "--partial-ok", "--quiet").status == 0)
    // From parts of the manifest, each problem is reported once, too.
    let parts = fixture.folder.path("parts")
    let split = try await Tool.tessera("split", fixture.folder.path("manifest"), "8", parts)
    #expect(split.status == 1)
    #expect(
      split.output
        == "line 10: not valid JSON at column 1: expected a value, found \"n\"\n"
        + "23 items in 8 parts, 1 line can't be used\n\(parts)\n")
    let results = try (0..<8).map { try fixture.folder.text("out/shards/8/\($0).jsonl") }
    for shard in 0..<8 {
      let run = try await Self.run(fixture, shard, of: 8, "--manifest", "\(parts)/\(shard).jsonl")
      #expect([0, 1].contains(run.status), "\(run.errors)")
      #expect(try fixture.folder.text("out/shards/8/\(shard).jsonl") == results[shard])
    }
    let why = try await Tool.tessera("why", fixture.folder.path("out"), "grey.png 2")
    #expect(why.status == 0 && why.output.contains("grey.png 2"), "\(why.errors)")
    await nginx.stop()
  }

  /// Three shards run twice at the same time, and one is killed in its middle.
  @Test func shardsMayRunTwiceAndMayBeKilled() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let whole = try Self.fixture(nginx)
    #expect(try await whole.run().status == 1)
    let fixture = try Self.fixture(nginx)
    let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
      for shard in [0, 1, 2, 3, 4, 5, 6, 0, 1, 2] {
        group.addTask { try await Self.run(fixture, shard).status }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    // A shard that another process has is tried again later.
    #expect(Set(statuses).isSubset(of: [0, 1, 75]), "\(statuses)")
    let running = try Tool.start(
      Places.tessera, ["run", fixture.folder.path("feed.yaml"), "--shard", "7/8"])
    try await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
    running.signal(SIGKILL)
    _ = await running.end()
    let merged = try await Self.merge(fixture)
    if merged.status == 2 {
      #expect(
        merged.errors
          == "tessera: 1 of 8 shards have no result: 7/8; run them (run --shard), then merge again\n"
      )
    }
    // What a process that was killed while it published leaves.
    try fixture.folder.write("half", to: "out/shards/8/7.jsonl.tessera-5.new")
    for shard in [0, 1, 2, 7] { _ = try await Self.run(fixture, shard) }
    #expect(try await Self.merge(fixture).status == 1)
    #expect(!fixture.folder.files(below: "out/shards").contains { $0.hasSuffix(".new") })
    #expect(try Self.result(fixture) == Self.result(whole))
    await nginx.stop()
  }

  /// On local disks of three machines.
  @Test func outputsThatWereWrittenApartAreMerged() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let whole = try Self.fixture(nginx)
    #expect(try await whole.run().status == 1)
    let fixture = try Self.fixture(nginx)
    let apart = (0..<3).map { fixture.folder.path("disk\($0)") }
    for shard in 0..<8 {
      _ = try await Self.run(fixture, shard, of: 8, "--output", apart[shard % 3])
    }
    // One shard is on two disks.
    _ = try await Self.run(fixture, 0, of: 8, "--output", apart[1])
    let out = fixture.folder.path("out")
    let merged = try await Tool.run(Places.tessera, ["merge"] + apart + ["--into", out])
    #expect(merged.status == 1, "\(merged.errors)")
    #expect(try Self.result(fixture) == Self.result(whole))
    let again = try await Tool.run(
      Places.tessera, ["merge"] + apart + ["--into", out, "--json"])
    #expect(again.output.contains("\"copied\": 0,"))
    // A file that its disk has damaged never reaches the catalog.
    try FileManager.default.removeItem(atPath: out)
    let others = ["disk0", "disk2"].flatMap { fixture.folder.files(below: "\($0)/variants") }
    let name = try #require(
      fixture.folder.files(below: "disk1/variants").first { !others.contains($0) })
    try fixture.folder.write("damaged", to: "disk1/variants/\(name)")
    let damaged = try await Tool.run(Places.tessera, ["merge"] + apart + ["--into", out])
    #expect(damaged.status == 2)
    #expect(damaged.errors.contains("is damaged; run its shard again"), "\(damaged.errors)")
    #expect(!FileManager.default.fileExists(atPath: "\(out)/catalog.json"))
    await nginx.stop()
  }

  /// Whatever does not belong together is rejected by its name, and the last catalog stands.
  @Test func mergeRejectsWhatDoesNotBelongTogether() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try Self.fixture(nginx)
    for shard in 0..<3 { _ = try await Self.run(fixture, shard, of: 3) }
    #expect(try await Self.merge(fixture).status == 1)
    let catalog = try fixture.catalogText
    func expectRejection(_ options: [String] = [], _ message: String) async throws {
      let merged = try await Tool.run(
        Places.tessera, ["merge", fixture.folder.path("out")] + options)
      #expect(merged.status == 2)
      #expect(merged.errors.contains(message), "\(merged.errors)")
      #expect(try fixture.catalogText == catalog)
    }
    let result = "out/shards/3/1.jsonl"
    let good = try fixture.folder.text(result)
    for (found, other, message) in [
      (
        "\"libvips\":\"\(Libvips.version)\"", #""libvips":"8.17.0""#,
        "another version of libvips than shard 0/3"
      ),
      (#""shard":1"#, #""shard":2"#, "is not the result of shard 1/3"),
      (#""line":"#, #""lime":"#, "is damaged; run the shard 1/3 again"),
    ] {
      // The first of each, but for the version, which is in the catalog's head, too.
      let range = try #require(good.range(of: found))
      try fixture.folder.write(good.replacingCharacters(in: range, with: other), to: result)
      try await expectRejection([], message)
    }
    try fixture.folder.write(String(good.dropLast(20)), to: result)
    try await expectRejection([], "is damaged; run the shard 1/3 again")
    let cut = good.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
    try fixture.folder.write(cut, to: result)
    try await expectRejection([], "is damaged; run the shard 1/3 again")
    // A run that ends early leaves no result of an earlier one behind.
    try fixture.folder.write(good, to: result)
    let stopped = try await Self.run(fixture, 1, of: 3, "--manifest", "/missing")
    #expect(stopped.status == 2)
    try await expectRejection([], "1 of 3 shards have no result: 1/3;")
    try fixture.folder.write(Self.manifest(nginx) + "\n", to: "manifest")
    _ = try await Self.run(fixture, 1, of: 3)
    try await expectRejection([], "another manifest than shard 0/3")
    try fixture.folder.write(Self.manifest(nginx), to: "manifest")
    try fixture.write(keys: "variants: {quality: 70}")
    _ = try await Self.run(fixture, 1, of: 3)
    try await expectRejection([], "another pipeline file or version of tessera than shard 0/3")
    try fixture.write(keys: "")
    _ = try await Self.run(fixture, 0, of: 2)
    try await expectRejection([], "there are results of 2, and of 3 shards; say with --shards")
    try await expectRejection(
      ["--shards", "4"], "4 of 4 shards have no result: 0/4, 1/4, 2/4, 3/4;")
    await nginx.stop()
  }

  @Test func partsOfAManifestAreOnlyForTheirShard() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let urls = Self.images.map { nginx.url("/\($0)?v=\($0)") + "\n" }.joined()
    let fixture = try RunFixture(
      manifest: urls, keys: "fetch: {allow: loopback, retries: 0, ignore-query: [v]}")
    let (manifest, parts) = (fixture.folder.path("manifest"), fixture.folder.path("parts"))
    let pipeline = fixture.folder.path("feed.yaml")
    #expect(try await Tool.tessera("split", manifest, "4", parts).status == 0)
    // Split without the pipeline, which leaves the parameter out of ids.
    var rejected = 0
    for shard in 0..<4 {
      let run = try await Self.run(fixture, shard, of: 4, "--manifest", "\(parts)/\(shard).jsonl")
      if run.errors.contains("split the manifest again with --pipeline") { rejected += 1 }
    }
    #expect(rejected > 0)
    try FileManager.default.removeItem(atPath: parts)
    let split = try await Tool.tessera("split", manifest, "4", parts, "--pipeline", pipeline)
    #expect(split.status == 0, "\(split.errors)")
    for shard in 0..<4 {
      let run = try await Self.run(fixture, shard, of: 4, "--manifest", "\(parts)/\(shard).jsonl")
      #expect([0, 1].contains(run.status), "\(run.errors)")
    }
    let merged = try await Self.merge(fixture).output
    #expect(merged.hasPrefix("\(Self.images.count) images of 4 shards"))
    for (shard, options, message) in [
      (0, ["--shard", "1/4"], "it is the part for shard 0/4; use run --shard 0/4"),
      (0, [], "it is the part for shard 0/4; use run --shard 0/4"),
    ] {
      let run = try await Tool.run(
        Places.tessera, ["run", pipeline, "--manifest", "\(parts)/\(shard).jsonl"] + options)
      #expect(run.status == 2)
      #expect(run.errors.contains(message), "\(run.errors)")
    }
    let whole = try fixture.folder.text("parts/0.jsonl")
    try fixture.folder.write(
      whole.split(separator: "\n").dropLast().joined(separator: "\n") + "\n", to: "parts/0.jsonl")
    let cut = try await Self.run(fixture, 0, of: 4, "--manifest", "\(parts)/0.jsonl")
    #expect(cut.status == 2)
    #expect(cut.errors.contains("it is cut off or damaged; make it again with tessera split"))
    #expect(try await Tool.tessera("split", manifest, "4", parts).status == 2)
    await nginx.stop()
  }

  /// Files that only a shard's result names are kept, and nothing is removed while shards run.
  @Test func pruneKeepsWhatShardsHaveMade() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg") + "\n")
    #expect(try await fixture.run().status == 0)
    try fixture.folder.write(Self.manifest(nginx), to: "manifest")
    for shard in 0..<2 { _ = try await Self.run(fixture, shard, of: 2) }
    let files = fixture.folder.files(below: "out/variants")
    let out = fixture.folder.path("out")
    #expect(try await Tool.tessera("prune", out, "--grace", "0s").status == 0)
    #expect(fixture.folder.files(below: "out/variants") == files)
    let held = try await Tool.run(
      "/usr/bin/flock",
      [
        "--shared", "\(out)/.tessera/lock", Places.tessera, "prune", out, "--grace", "0s",
      ])
    #expect(held.status == 75)
    #expect(held.errors.contains("another run holds the output"), "\(held.errors)")
    let alone = try await Tool.run(
      "/usr/bin/flock",
      ["\(out)/.tessera/lock"] + [
        Places.tessera, "run", fixture.folder.path("feed.yaml"), "--shard", "0/2",
      ])
    #expect(alone.status == 75)
    await nginx.stop()
  }
}
