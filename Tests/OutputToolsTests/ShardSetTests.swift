import TesseraMemoryOutput
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// The results of all shards of a run.
@Suite struct ShardSetTests {
  private static func header(
    _ shard: Int, of shards: Int, images: Int = 0, _ change: (inout ShardHeader) -> Void = { _ in }
  ) -> ShardHeader {
    var header = ShardHeader(
      shard: shard, shards: shards, manifest: "m0", pipeline: "p0", libvips: "8", screens: [],
      retention: CatalogRetention(count: 3, age: 60), lostAbove: 20, head: "{}", images: images,
      counts: [:], problems: 0)
    change(&header)
    return header
  }

  private static func write(
    _ header: ShardHeader, _ lines: [(Int, String)] = [], to output: MemoryOutput,
    path: String? = nil
  ) throws {
    let all = [header.line] + lines.map { ShardHeader.line($0.0, $0.1.utf8) }
    let bytes = all.flatMap { $0 + [UInt8(ascii: "\n")] }
    try output.write(path ?? ShardHeader.path(header.shard, of: header.shards), bytes)
  }

  /// An output with the results of some shards.
  private static func output(_ shards: some Sequence<Int>, of count: Int) throws -> MemoryOutput {
    let output = MemoryOutput()
    for shard in shards { try write(header(shard, of: count), to: output) }
    return output
  }

  @Test func theNumberOfShardsFollowsFromTheFolders() async throws {
    let output = try Self.output(0..<3, of: 3)
    try output.write("shards/none", [])
    try output.write("shards/x/0.jsonl", [])
    try output.write("shards/-2/0.jsonl", [])
    let set = try await ShardSet(in: [output], count: nil)
    #expect(set.results.map(\.header.shard) == [0, 1, 2])
    // Another machine has other shards.
    let apart = try await ShardSet(
      in: [try Self.output([2, 0], of: 3), try Self.output([1], of: 3)], count: nil)
    #expect(apart.results.map(\.header.shard) == [0, 1, 2])
    for shard in 0..<2 { try Self.write(Self.header(shard, of: 2), to: output) }
    #expect(
      await sentence { try await ShardSet(in: [output], count: nil) }
        == "there are results of 2, and of 3 shards; say with --shards which to merge, and delete the "
        + "others' folder")
    #expect(try await ShardSet(in: [output], count: 2).results.count == 2)
  }

  @Test func withoutResultsThereIsNothingToMerge() async {
    let empty = MemoryOutput()
    #expect(
      await sentence { try await ShardSet(in: [empty], count: nil) }
        == "\"memory\" has no results of shards (shards/N/I.jsonl); make them with run --shard I/N")
    #expect(
      await sentence { try await ShardSet(in: [empty, empty], count: nil) }
        == "\"memory\", \"memory\" have no results of shards (shards/N/I.jsonl); make them with run "
        + "--shard I/N")
  }

  @Test func shardsWithoutResultAreNamed() async throws {
    let output = try Self.output([1], of: 3)
    #expect(
      await sentence { try await ShardSet(in: [output], count: nil) }
        == "2 of 3 shards have no result: 0/3, 2/3; run them (run --shard), then merge again")
    for missing in [19, 20, 21] {
      let output = try Self.output([missing], of: missing + 1)
      let named = (0..<min(missing, 20)).map { "\($0)/\(missing + 1)" }.joined(separator: ", ")
      #expect(
        await sentence { try await ShardSet(in: [output], count: nil) }
          == "\(missing) of \(missing + 1) shards have no result: \(named)"
          + (missing == 21 ? " and others" : "") + "; run them (run --shard), then merge again")
    }
  }

  @Test func aResultIsThatOfItsName() async throws {
    let path = ShardHeader.path(1, of: 2)
    for other in [Self.header(0, of: 2), Self.header(1, of: 3)] {
      let output = try Self.output([0], of: 2)
      try Self.write(other, to: output, path: path)
      #expect(
        await sentence { try await ShardSet(in: [output], count: 2) }
          == "\"memory/shards/2/1.jsonl\" is not the result of shard 1/2; run it again")
    }
    let output = try Self.output([0], of: 2)
    try output.write(path, Array("{}\n".utf8))
    #expect(
      await sentence { try await ShardSet(in: [output], count: 2) }
        == "\"memory/shards/2/1.jsonl\" is not the result of shard 1/2; run it again")
  }

  /// Lines of two runs are never mixed, whether two shards differ or two results of one shard.
  @Test(arguments: [
    ("version of libvips", "9", "8"), ("manifest", "m123456789012345", "m0"),
    ("pipeline file or version of tessera", "p1", "p0"), ("catalog head", "[]", "{}"),
  ])
  func allAreOfOneRun(_ what: String, _ new: String, _ old: String) async throws {
    func change(_ header: inout ShardHeader) {
      switch what {
      case "version of libvips": header.libvips = new
      case "manifest": header.manifest = new + "6"
      case "catalog head": header.head = new
      default: header.pipeline = new
      }
    }
    let output = try Self.output([0], of: 2)
    try Self.write(Self.header(1, of: 2, change), to: output)
    let end = "(\(new), \(old)); run them again with the same one"
    #expect(
      await sentence { try await ShardSet(in: [output], count: 2) }
        == "shard 1/2 was made with another \(what) than shard 0/2 \(end)")
    let other = try Self.output([1], of: 2)
    try Self.write(Self.header(0, of: 2, change), to: other)
    #expect(
      await sentence { try await ShardSet(in: [try Self.output([0], of: 2), other], count: 2) }
        == "shard 0/2 was made with another \(what) than shard 0/2 \(end)")
    // What one run makes may differ in the rest.
    try Self.write(Self.header(1, of: 2) { $0.problems = 7 }, to: output)
    #expect(try await ShardSet(in: [output], count: 2).results[1].header.problems == 7)
  }

  // MARK: Images

  private static func merged(_ output: MemoryOutput, _ count: Int) async throws -> [String] {
    var found: [String] = []
    let gate = try await LineGate(of: output)
    try await ShardSet(in: [output], count: count).forEachImage(through: gate) { entry in
      found.append("\(entry.shard) \(String(decoding: entry.image, as: UTF8.self))")
    }
    return found
  }

  /// For any division of lines among shards, the images come in the order of the manifest.
  @Test func imagesComeInTheOrderOfTheManifest() async throws {
    var generator = SplitMix(seed: 5)
    for count in 1...12 {
      let output = MemoryOutput()
      let owners = (0..<60).map { _ in Int.random(in: 0..<count, using: &generator) }
      for shard in 0..<count {
        let own = owners.indices.filter { owners[$0] == shard }.map {
          ($0 * 3 + 1, "{\"id\":\($0)}")
        }
        try Self.write(Self.header(shard, of: count, images: own.count), own, to: output)
      }
      #expect(
        try await Self.merged(output, count)
          == owners.enumerated().map { "\($1) {\"id\":\($0)}" })
    }
  }

  @Test func aDamagedResultIsFound() async throws {
    let output = MemoryOutput()
    let path = ShardHeader.path(0, of: 1)
    let damaged = "\"memory/\(path)\" is damaged; run the shard 0/1 again"
    for images in [1, 3] {
      try Self.write(Self.header(0, of: 1, images: images), [(1, "{}"), (2, "{}")], to: output)
      #expect(await sentence { try await Self.merged(output, 1) } == damaged)
    }
    try Self.write(Self.header(0, of: 1, images: 2), [(1, "{}"), (2, "{}")], to: output)
    #expect(try await Self.merged(output, 1) == ["0 {}", "0 {}"])
    let whole = try output.read(path, 1 << 20, at: 0)
    // Without the end of its last line, and with a line of another form.
    for bytes in [Array(whole.dropLast()), whole + Array("x\n".utf8)] {
      try output.write(path, bytes)
      #expect(await sentence { try await Self.merged(output, 1) } == damaged)
    }
    // One that is replaced while it is read.
    try output.write(path, whole)
    let set = try await ShardSet(in: [output], count: 1)
    try Self.write(Self.header(0, of: 1, images: 3), [(1, "{}"), (2, "{}")], to: output)
    let gate = try await LineGate(of: output)
    #expect(await sentence { try await set.forEachImage(through: gate) { _ in } } == damaged)
    try output.write(path, [])
    #expect(await sentence { try await set.forEachImage(through: gate) { _ in } } == damaged)
  }

  @Test func aResultIsAlsoReadByItsPath() async throws {
    let output = MemoryOutput()
    let path = ShardHeader.path(0, of: 1)
    try Self.write(
      Self.header(0, of: 1, images: 2), [(1, #"{"id":"a"}"#), (2, "not JSON")], to: output)
    var lines = try await ShardLines(path, in: output)
    #expect(try await lines.nextImage()?.id == "a")
    var rest = lines
    #expect(
      await sentence { try await rest.nextImage() }
        == "\"memory/\(path)\" is damaged; run the shard 0/1 again")
    var raw = lines
    #expect(try await raw.next()?.line == 2)
    #expect(try await raw.next() == nil)
    try output.write("shards/1/x.jsonl", Array("{}\n".utf8))
    #expect(
      await sentence { try await ShardLines("shards/1/x.jsonl", in: output) }
        == "\"memory/shards/1/x.jsonl\" is not the result of a shard; remove it, or run the shard again"
    )
  }

  /// Results are read in parts: 256 KiB each, or fewer so that all shards together need 64 MiB.
  @Test(arguments: [(1, 262_144), (256, 262_144), (300, 223_696)])
  func partsAreBounded(_ count: Int, _ part: Int) async throws {
    let output = try Self.output(1..<max(2, count), of: count)
    let line = "{\"x\":\"\(String(repeating: "x", count: 300_000))\"}"
    let lines = [(1, line), (2, line)]
    try Self.write(Self.header(0, of: count, images: 2), lines, to: output)
    let path = ShardHeader.path(0, of: count)
    let set = try await ShardSet(in: [output], count: count)
    let before = output.reads.count
    var sizes: [Int] = []
    let gate = try await LineGate(of: output)
    try await set.forEachImage(through: gate) { sizes.append($0.image.count) }
    #expect(sizes == [line.utf8.count, line.utf8.count])
    let reads = output.reads[before...].filter { $0.path == path }.map(\.bytes)
    let size = try output.read(path, 1 << 30, at: 0).count
    #expect(reads.dropLast(2) == ArraySlice(repeatElement(part, count: size / part)))
    #expect(reads.last == 0 && reads.reduce(0, +) == size)
  }
}
