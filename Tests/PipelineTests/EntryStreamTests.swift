import Foundation
import TesseraBytes
import TesseraManifest
import TesseraNet
import TesseraState
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// The items of a manifest: each id once, in the manifest's order, for one shard or for all.
@Suite struct EntryStreamTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func line(_ id: String, _ url: String? = nil) -> String {
    #"{"id":"\#(id)","url":"\#(url ?? "https://img.example/\(id)")"}"#
  }

  private func stream(_ lines: [String], _ file: PipelineFile = .example()) async throws
    -> ManifestStream
  {
    var file = file
    file.manifest = .file(
      try folder.write(lines.map { $0 + "\n" }.joined(), to: "list.jsonl"))
    return try await ManifestStream.open(file, in: folder.url.path)
  }

  private static func word(_ record: EntryStream.Record) -> String {
    switch record {
    case .item(let item, _): "\(item.position) \(item.id)"
    case .repeated: "repeated"
    case .problem(let problem): "\(problem.line): \(problem.message)"
    case .forgotten: "forgotten"
    case .standing(let chunk): "chunk of \(chunk.count)"
    }
  }

  /// The records as words.
  private static func read(_ entries: inout EntryStream) async throws -> [String] {
    var words: [String] = []
    while let batch = try await entries.next() { words += batch.map(word) }
    return words
  }

  private func error(
    _ lines: [String], _ file: PipelineFile = .example(), shard: String? = nil
  ) async throws -> String? {
    let manifest = try await stream(lines, file)
    var entries = EntryStream(
      manifest, file.fetch, ledger: try StateStore(path: ""), run: 1, claims: try .none,
      filter: ShardFilter(
        shard: shard.flatMap { Shard($0) }, hasUnboundHeaders: file.fetch.hasUnboundHeaders))
    do {
      _ = try await Self.read(&entries)
      return nil
    } catch let error as TesseraError {
      return error.description.replacing("the manifest \"\(manifest.path)\": ", with: "")
    }
  }

  // MARK: All items

  @Test func eachIdIsOneItem() async throws {
    let lines = [
      Self.line("a"), "", Self.line("b"), Self.line("a"), "{}", Self.line("b", "https://x/2"),
      Self.line("c"),
    ]
    let manifest = try await stream(lines)
    var entries = try EntryStream(reading: manifest, PipelineFile.fetch())
    #expect((entries.count, entries.hasEntries) == (0, false))
    let words = try await Self.read(&entries)
    #expect(words.count == 6)
    #expect(
      [0, 1, 2, 4, 5].map { words[$0] } == [
        "0 a", "1 b", "repeated", "6: duplicate id \"b\": line 3 defines it differently", "2 c",
      ])
    #expect(words[3].hasPrefix("5: "))
    #expect(entries.firstProblem?.line == 5)
    #expect((entries.count, entries.hasEntries) == (3, true))
  }

  @Test func aListWithoutEntriesHasNone() async throws {
    var entries = try EntryStream(
      reading: try await stream(["{}", #"{"id":"a"}"#]), PipelineFile.fetch())
    #expect(try await Self.read(&entries).count == 2)
    #expect((entries.count, entries.hasEntries, entries.firstProblem?.line) == (0, false, 1))
  }

  /// By its id, by its request, and by its source without parameters that are ignored.
  @Test func forgottenImagesAreLeftOut() async throws {
    var file = PipelineFile.example()
    file.fetch.ignoredQuery = ["w"]
    var forgotten = ForgottenItems()
    func item(_ url: String) -> Item {
      Item(ManifestEntry(line: 1, id: "x", url: url), position: 0, file.fetch)
    }
    forgotten.add(
      ids: ["b"],
      requests: [
        item("https://img.example/c?w=1").requestKey, item("https://img.example/d").sourceKey,
        // As earlier versions marked them.
        SHA256.of("https://img.example/f?w=1"), SHA256.of("https://img.example/g"),
      ])
    let manifest = try await stream(
      [
        Self.line("a"), Self.line("b"), Self.line("c", "https://img.example/c?w=1"),
        Self.line("d", "https://img.example/d?w=5"), Self.line("e", "https://img.example/c?w=2"),
        Self.line("f", "https://img.example/f?w=1"), Self.line("g", "https://img.example/g?w=5"),
      ], file)
    var entries = EntryStream(
      manifest, file.fetch, ledger: try StateStore(path: ""), run: 1, claims: try .none,
      forgotten: forgotten)
    #expect(
      try await Self.read(&entries)
        == ["0 a", "1 e"] + [String](repeating: "forgotten", count: 5))
  }

  /// The first image of an id that was forgotten is left out, also with another URL, and the others keep their ids, wherever
  /// they are in the list.
  @Test func othersOfAForgottenIdStay() async throws {
    var file = PipelineFile.example()
    file.columns = ColumnMapping([.id: ["sku"], .published: ["on"]])
    var forgotten = ForgottenItems()
    forgotten.add(ids: ["p"], requests: [])
    func lines(_ urls: [String]) -> [String] {
      ["sku,url,on"] + urls.map { "p,https://img.example/\($0),1" } + ["q,https://img.example/q,1"]
    }
    func read(_ urls: [String]) async throws -> [String] {
      var entries = EntryStream(
        try await stream(lines(urls), file), file.fetch, ledger: try StateStore(path: ""), run: 1,
        claims: try .none,
        forgotten: forgotten)
      return try await Self.read(&entries)
    }
    let all = try await read(["1", "2", "3"])
    #expect(all.count == 4 && all.filter { $0 == "forgotten" }.count == 1, "\(all)")
    let others = all.filter { $0.contains(/p#[0-9a-f]{8}$/) }
    #expect(others.count == 2)
    let replaced = try await read(["new", "2"] + (0..<50).map { "more/\($0)" } + ["3"])
    #expect(replaced.filter { $0 == "forgotten" }.count == 1)
    for id in others.map({ $0.split(separator: " ")[1] }) {
      #expect(replaced.contains { $0.hasSuffix(" \(id)") }, "\(id)")
    }
    // The same image again, of which only the id is known.
    let again = try await read(["1", "2", "1#x"])
    #expect(again.filter { $0 == "forgotten" }.count == 2 && again.count == 4, "\(again)")
    // One of the others is forgotten, too, and then the first one is not.
    forgotten.add(ids: [String(others[0].split(separator: " ")[1])], requests: [])
    #expect(try await read(["1", "2", "3"]).filter { $0 == "forgotten" }.count == 2)
    _ = forgotten.remove(ids: ["p"], requests: [])
    let last = try await read(["1", "2", "3"])
    #expect(last.filter { $0 == "forgotten" }.count == 1 && last.contains("0 p"), "\(last)")
  }

  // MARK: Headers for one host

  private static func headers(_ host: String? = nil, everywhere: Bool = false) -> PipelineFile {
    var file = PipelineFile.example()
    file.fetch.headers = [RequestHeader(name: "X-Key", value: "1", host: host)]
    file.fetch.headersEverywhere = everywhere
    return file
  }

  @Test func headersWithoutAHostAreForOneHost() async throws {
    let lines = [
      Self.line("a"), Self.line("b"), Self.line("c", "file:///c"),
      Self.line("d", "https://cdn.example/d"),
    ]
    #expect(
      try await error(lines, Self.headers())
        == "line 4 names the host \"cdn.example\", but the first host is \"img.example\", and "
        + "headers without a host are sent to one host only; bind them (fetch.headers: [{host: "
        + "img.example, …}]), or send them to every host (fetch.headers-everywhere: true)")
    #expect(try await error(lines, Self.headers("img.example")) == nil)
    #expect(try await error(lines, Self.headers(everywhere: true)) == nil)
    #expect(try await error(Array(lines.prefix(3)), Self.headers()) == nil)
    // Requests count, and not what the manifest names.
    var rewriting = Self.headers()
    rewriting.fetch.rewrites = [.init(from: "https://cdn.example/", to: "https://img.example/")]
    #expect(try await error(lines, rewriting) == nil)
  }

  // MARK: Shards

  /// Ids of each of two shards.
  private static let ids = (0..<2).map { index in
    (0..<40).map { "\($0)" }.filter { Shard.index(of: $0, among: 2) == index }.prefix(3)
  }

  @Test func aShardHasItsItemsAndItsProblems() async throws {
    let lines = zip(Self.ids[0], Self.ids[1]).flatMap {
      [Self.line($0), "{}", Self.line($1), "{}"]
    }
    for index in 0..<2 {
      let manifest = try await stream(lines)
      var entries = EntryStream(
        manifest, PipelineFile.fetch(), ledger: try StateStore(path: ""), run: 1, claims: try .none,
        filter: ShardFilter(shard: Shard(index, of: 2), hasUnboundHeaders: false))
      let words = try await Self.read(&entries)
      let items = words.filter { !$0.contains(":") }
      #expect(items == Self.ids[index].enumerated().map { "\($0) \($1)" })
      let problems = words.filter { $0.contains(":") }.map { String($0.prefix { $0 != ":" }) }
      #expect(problems == (index == 0 ? ["2", "4", "6", "8", "10", "12"] : []))
      #expect(entries.hasEntries)
    }
    // The lines of a part are elsewhere, not unusable.
    let other = try await stream([Self.line(Self.ids[1][0]), "{}"])
    var entries = EntryStream(
      other, PipelineFile.fetch(), ledger: try StateStore(path: ""), run: 1, claims: try .none,
      filter: ShardFilter(shard: Shard(0, of: 2), hasUnboundHeaders: false))
    #expect(try await Self.read(&entries).count == 1)
    #expect((entries.count, entries.hasEntries) == (0, true))
  }

  /// All shards together send headers without a host to one host.
  @Test func hostsOfOtherShardsCount() async throws {
    let lines = [
      Self.line(Self.ids[0][0]), Self.line(Self.ids[1][0], "https://cdn.example/x"),
    ]
    for index in 0..<2 {
      let error = try await error(lines, Self.headers(), shard: "\(index)/2")
      #expect(error?.contains("names the host \"\(index == 0 ? "img" : "cdn").example\"") == true)
      #expect(try await self.error(lines, Self.headers("x"), shard: "\(index)/2") == nil)
    }
  }

  private static func part(_ shard: String, _ entries: [ManifestEntry] = []) throws -> [String] {
    var part = SplitManifest(try #require(Shard(shard)))
    var bytes = part.firstLine
    for entry in entries { bytes += part.line(.entry(entry)) }
    bytes += part.lastLine(manifestDigest: "d")
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func aPartIsForItsShard() async throws {
    let entry = ManifestEntry(line: 1, id: Self.ids[1][0], url: "https://img.example/a")
    for entries in [[], [entry]] {
      let lines = try Self.part("1/2", entries)
      #expect(try await error(lines, shard: "1/2") == nil)
      for shard in [nil, "0/2", "1/3"] as [String?] {
        #expect(
          try await error(lines, shard: shard)
            == "it is the part for shard 1/2; use run --shard 1/2, or the whole manifest")
      }
      #expect(
        try await error(lines, Self.headers(), shard: "1/2")
          == "it is a part, which does not show whether the others have another host, and "
          + "headers without a host are sent to one host only; bind them (fetch.headers: "
          + "[{host: …}])")
      #expect(try await error(lines, Self.headers("x"), shard: "1/2") == nil)
    }
  }

  /// An id that follows from the URL may be another one for this pipeline.
  @Test func anEntryOfAnotherShardIsWronglySplit() async throws {
    let entry = ManifestEntry(line: 9, id: Self.ids[0][0], url: "https://img.example/a")
    #expect(
      try await error(try Self.part("1/2", [entry]), shard: "1/2")
        == "line 9 has no id, and its URL makes one of another shard; split the manifest again "
        + "with --pipeline, so that its \"base\" and \"ignore-query\" apply")
  }
}
