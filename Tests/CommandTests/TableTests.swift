import Foundation
import TesseraCatalog
import TesseraCatalogFoundation
import TesseraTestSupport
import Testing

/// Tables of ready pixels, made by whole runs.
@Suite struct TableTests {
  private static let names = [
    "plain.jpg", "grey.png", "transparent.png", "animated.gif", "one-pixel.png",
    "orientation-6.jpg", "display-p3.jpg", "truncated.jpg",
  ]
  private static let slots = "slots: {avatar: {size: 20x20, mode: clip}, card: {size: 90x}}"

  private static func line(_ id: String, _ name: String) -> String {
    let url = Places.fixture(name).absoluteString
    return #"{"id":"\#(id)","url":"\#(url)"}"# + "\n"
  }

  private static let fetch = "fetch: {allow: [\"files:\(Places.fixtures.path)\"], retries: 0}"

  private static func fixture(
    _ keys: String, lines: String = names.map { line($0, $0) }.joined()
  ) throws -> RunFixture {
    try RunFixture(manifest: lines, keys: "\(fetch)\n\(keys)", slots: slots)
  }

  private static func change(_ fixture: RunFixture, _ keys: String) throws {
    try fixture.write(keys: "\(fetch)\n\(keys)", slots: slots)
  }

  private static func tables(_ fixture: RunFixture) throws -> [CatalogTable] {
    try #require(try fixture.catalog.tables?["avatar"])
  }

  private static func files(_ fixture: RunFixture) -> [String] {
    fixture.folder.files(below: "out/tables").sorted()
  }

  // MARK: Pixels

  private struct Read: Decodable {
    var width: Int
    var height: Int
    var pixels: String
    var rows: String
  }

  /// What the reader in Python, written from the specification, finds.
  private static func read(
    _ fixture: RunFixture, _ scale: Int, _ pixels: TablePixels, _ id: String
  ) async throws -> Read? {
    let result = try await Tool.run(
      Places.root.appending(path: "Tests/Tables/read.py").path,
      [fixture.folder.path("out"), "avatar", "\(scale)", pixels.rawValue, id])
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Read?.self, from: Data(result.output.utf8))
  }

  /// The pixels of a variant, decoded by libvips and converted by the formulas of the specification.
  private static func expected(_ path: String, _ format: TablePixels) throws -> [UInt8] {
    let image = try Pixels(path)
    var bytes: [UInt8] = []
    for pixel in 0..<image.width * image.height / image.frames {
      let samples = image.samples[pixel * image.bands..<(pixel + 1) * image.bands].map(Int.init)
      let colour =
        image.bands < 3 ? [samples[0], samples[0], samples[0]] : Array(samples.prefix(3))
      let alpha = image.bands % 2 == 0 ? samples[image.bands - 1] : 255
      let times = colour.map { ($0 * alpha + 127) / 255 }
      let over = zip(colour, [0x20, 0x40, 0x80]).map {
        ($0 * alpha + $1 * (255 - alpha) + 127) / 255
      }
      switch format {
      case .bgra8: bytes += [times[2], times[1], times[0], alpha].map { UInt8($0) }
      case .rgba8: bytes += [times[0], times[1], times[2], alpha].map { UInt8($0) }
      case .grey8: bytes.append(UInt8((54 * over[0] + 183 * over[1] + 19 * over[2] + 128) / 256))
      case .rgb565:
        let levels = zip(over, [31, 63, 31]).map { ($0 * $1 + 127) / 255 }
        let packed = levels[0] * 2048 + levels[1] * 32 + levels[2]
        bytes += [UInt8(packed % 256), UInt8(packed / 256)]
      case .webp: break
      }
    }
    return bytes
  }

  /// The specification's reader, the library and libvips agree on every pixel, whatever the format of the files.
  @Test(arguments: ["[webp, jpeg]", "[png]", "[jpeg]"])
  func tablesShowWhatTheirVariantsShow(_ formats: String) async throws {
    let fixture = try Self.fixture(
      "variants: {format: \(formats), background: \"#204080\"}\n"
        + "tables: {avatar: {scales: [2, 3], pixels: [bgra8, rgba8, rgb565, grey8]}}")
    #expect(try await fixture.run().status == 1)  // one image is truncated
    let catalog = try fixture.catalog
    let reader = CatalogTables(catalog, in: fixture.folder.url.appending(path: "out"))
    var count = 0
    for image in catalog.images {
      for (scale, format) in [
        (2, TablePixels.bgra8), (3, .bgra8), (2, .rgba8), (3, .rgb565), (2, .grey8),
      ] {
        let found = try await Self.read(fixture, scale, format, image.id)
        let mapped = reader.withPixels(
          of: image.id, slot: "avatar", scale: Double(scale), as: format
        ) { pixels in
          let used = pixels.width * (format.bytesPerPixel ?? 0)
          return (0..<pixels.height).flatMap {
            Array(pixels.bytes[$0 * pixels.rowBytes..<$0 * pixels.rowBytes + used])
          }
        }
        guard image.status == .ok else {
          #expect(found == nil && mapped == nil)
          continue
        }
        let variant = try #require(
          image.variant(for: "avatar", scale: Double(scale), in: catalog))
        let expected = try Self.expected(fixture.folder.path("out/\(variant.reference)"), format)
        #expect(found?.width == variant.width && found?.height == variant.height)
        #expect(found?.pixels == format.rawValue)
        let hexadecimal = expected.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        let (isMapped, isRead) = (mapped == expected, found?.rows == hexadecimal)
        #expect(
          isMapped && isRead,
          "\(image.id) \(scale) \(format) \(mapped?.prefix(16) ?? []) \(expected.prefix(16))")
        count += 1
      }
    }
    #expect(count == 35)
    try await fixture.expectWhole()
  }

  // MARK: Runs

  /// A second run neither decodes nor writes; another order makes the same files; what is not named any more is pruned.
  @Test func unchangedTablesAreNotMadeAgain() async throws {
    let keys =
      "tables: {avatar: {pixels: [bgra8, webp]}}\nkeep-catalogs: 0\n"
      + "catalog: {screens: {feed: {slots: [avatar], first: 1, part: 10}}}"
    let fixture = try Self.fixture(keys)
    #expect(try await fixture.run().status == 1)
    let first = (catalog: try fixture.catalogText, files: Self.files(fixture))
    #expect(try Self.tables(fixture).map(\.scale) == [1, 1, 2, 2, 3, 3])
    #expect(try Self.tables(fixture).allSatisfy { $0.files.count == 1 && $0.files[0].count == 7 })
    let out = fixture.folder.path("out")
    let changed =
      try FileManager.default.attributesOfItem(
        atPath: "\(out)/tables/\(first.files[0])")[.modificationDate] as? Date
    #expect(try await fixture.run().status == 1)
    let report = try fixture.report
    #expect(report["tables.made"] == 0 && report["tables.reused"] == 6, "\(report)")
    #expect(report["variants.made"] == 0)
    #expect(try fixture.catalogText == first.catalog && Self.files(fixture) == first.files)
    #expect(
      try FileManager.default.attributesOfItem(atPath: "\(out)/tables/\(first.files[0])")[
        .modificationDate] as? Date == changed)

    let reversed = try Self.fixture(
      keys, lines: Self.names.reversed().map { Self.line($0, $0) + Self.line($0, $0) }.joined())
    _ = try await reversed.run("--quiet")
    #expect(Self.files(reversed) == first.files)
    #expect(try Self.tables(reversed) == Self.tables(fixture))

    // A document of a screen has no tables: one that changes would change them all.
    let documents = fixture.folder.files(below: "out/screens")
    #expect(documents.count == 2)
    for path in documents {
      #expect(try Catalog(reading: fixture.folder.read("out/screens/\(path)")).tables == nil)
    }

    // One image more: the tables are others, and the old ones stay until they are pruned.
    try fixture.folder.write(
      (Self.names.map { Self.line($0, $0) } + [Self.line("new", "cmyk.jpg")]).joined(),
      to: "manifest")
    #expect(try await fixture.run().status == 1)
    // At scales 2 and 3 the slot has the same files.
    #expect(try fixture.report["tables.made"] == 4)
    #expect(Set(Self.files(fixture)).isSuperset(of: first.files))
    let pruned = try await Tool.tessera("prune", out, "--grace", "0s", "--json")
    #expect(pruned.status == 0, "\(pruned.errors)")
    let named = try Self.tables(fixture).flatMap(\.files).flatMap { [$0.path, $0.index ?? ""] }
    #expect(Set(Self.files(fixture).map { "tables/\($0)" }) == Set(named).subtracting([""]))
    #expect(try await Tool.tessera("verify", out, "--deep").status == 0)

    // Without files a run makes none, and names none.
    #expect(try await fixture.run("--layout-only").status == 0)
    #expect(try fixture.catalog.tables == nil)
    try Self.change(fixture, "keep-catalogs: 0")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.tables == nil)
    #expect(try await Tool.tessera("prune", out, "--grace", "0s").status == 0)
    #expect(Self.files(fixture).isEmpty)
  }

  /// A file that is missing is made again, with the same bytes.
  @Test(.faults(.c18)) func lostTablesAreMadeAgain() async throws {
    let fixture = try Self.fixture("tables: {avatar: {scales: 2, pixels: [bgra8, webp]}}")
    #expect(try await fixture.run().status == 1)
    let catalog = try fixture.catalogText
    let files = Self.files(fixture)
    #expect(files.count == 3)
    for name in files {
      try FileManager.default.removeItem(atPath: fixture.folder.path("out/tables/\(name)"))
      #expect(try await fixture.run().status == 1)
      #expect(try fixture.report["tables.made"] == 1)
      #expect(try Self.files(fixture) == files && fixture.catalogText == catalog)
    }
  }

  /// More than 2,000 images need several files, and one image more changes one of them.
  @Test func largeTablesAreSplit() async throws {
    func lines(_ count: Int) -> String {
      (0..<count).map { Self.line("image \($0)", "one-pixel.png") }.joined()
    }
    let fixture = try Self.fixture(
      "scales: [1]\ntables: {avatar: {pixels: [grey8, webp]}}", lines: lines(2_100))
    #expect(try await fixture.run().status == 0)
    let before = try Self.tables(fixture)
    #expect(before.map { $0.files.map(\.prefix) } == [["0", "1"], ["0", "1"]])
    #expect(before.allSatisfy { $0.files.reduce(0) { $0 + $1.count } == 2_100 })
    try fixture.folder.write(lines(2_101), to: "manifest")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["tables.made"] == 2)
    let after = try Self.tables(fixture)
    for (old, new) in zip(before, after) {
      #expect(Set(old.files).intersection(new.files).count == 1)
      #expect(new.files.reduce(0) { $0 + $1.count } == 2_101)
    }
    for id in ["image 0", "image 1234", "image 2100"] {
      let found = try await Self.read(fixture, 1, .grey8, id)
      #expect(found?.width == 1 && found?.height == 1)
    }
  }

  /// An atlas has the images at the places that its index names, in the pipeline's colours.
  @Test func anAtlasHasAllImages() async throws {
    let fixture = try Self.fixture("tables: {avatar: {scales: 3, pixels: webp}}")
    #expect(try await fixture.run().status == 1)
    let file = try #require(try Self.tables(fixture).first?.files.first)
    struct Index: Decodable {
      var image: String
      var width: Int
      var height: Int
      var images: [String: [Int]]
    }
    let index = try JSONDecoder().decode(
      Index.self, from: fixture.folder.read("out/\(try #require(file.index))"))
    #expect(
      try await JSONSchema.errors(
        of: fixture.folder.path("out/\(file.index ?? "")"), by: "atlas") == "")
    #expect(index.image == file.path && index.width == file.width && index.height == file.height)
    #expect(index.images.count == 7 && file.count == 7)
    let atlas = try Pixels(fixture.folder.path("out/\(file.path)"))
    #expect(atlas.width == file.width && atlas.height == file.height)
    for (id, place) in index.images {
      let variant = try Pixels(fixture.file(id, "avatar"))
      #expect(place[2] == variant.width && place[3] == variant.height / variant.frames)
      var difference = 0
      for y in 0..<place[3] {
        for x in 0..<place[2] {
          let (one, other) = (atlas[place[0] + x, place[1] + y], variant[x, y])
          if other.count == 4, other[3] < 250 { continue }
          for band in 0..<3 { difference += abs(one[band] - other[other.count < 3 ? 0 : band]) }
        }
      }
      // Lossy twice.
      #expect(difference < place[2] * place[3] * 3 * 8 + 60, "\(id): \(difference)")
    }
  }

  // MARK: Damage

  /// Published files that are damaged, foreign or hostile are left out and reported; the run goes on, and the image is back once
  /// its file is whole.
  @Test(.faults(.c19), arguments: ["bgra8", "webp"])
  func imagesThatCannotBeDecodedAreLeftOut(_ pixels: String) async throws {
    let fixture = try Self.fixture("")
    #expect(try await fixture.run().status == 1)
    let damaged = try fixture.file("plain.jpg", "avatar")
    let whole = try Data(contentsOf: URL(filePath: damaged))
    try Self.change(fixture, "tables: {avatar: {scales: 3, pixels: \(pixels)}}")
    var random = SplitMix(seed: 3)
    let noise = Data((0..<whole.count).map { _ in UInt8.random(in: 0...255, using: &random) })
    // Another image, which is whole but has another size.
    var other = Data(try Places.bytes("lossy.webp").prefix(whole.count))
    other.append(Data(count: whole.count - other.count))
    var half = Data(whole.prefix(whole.count / 2))
    half.append(Data(count: whole.count - half.count))
    var body = Data(whole.prefix(30))
    body.append(noise.dropFirst(30))
    for bytes in [noise, half, body, Data(count: whole.count), other] {
      try bytes.write(to: URL(filePath: damaged))
      let run = try await fixture.run()
      #expect(run.status == 1)
      #expect(run.errors.contains("missing in tables"), "\(run.errors)")
      #expect(try fixture.report["tables.leftOut"] == 1)
      #expect(try Self.tables(fixture)[0].files[0].count == 6)
    }
    try whole.write(to: URL(filePath: damaged))
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.report["tables.leftOut"] == 0)
    #expect(try Self.tables(fixture)[0].files[0].count == 7)
  }

  /// `verify` finds a table that is missing, cut off, altered or replaced, and the next run makes it again.
  @Test(.faults(.c18)) func verifyFindsDamagedTables() async throws {
    let fixture = try Self.fixture("tables: {avatar: {scales: 2, pixels: [bgra8, webp]}}")
    #expect(try await fixture.run().status == 1)
    let out = fixture.folder.path("out")
    let file = try #require(try Self.tables(fixture)[0].files.first)
    let atlas = try #require(try Self.tables(fixture)[1].files.first)
    let path = URL(filePath: "\(out)/\(file.path)")
    let bytes = try Data(contentsOf: path)
    func expect(_ message: String, deep: Bool = false) async throws {
      let found = try await Tool.run(
        Places.tessera, ["verify", out] + (deep ? ["--deep"] : []))
      #expect(found.status == 1 && found.output.contains(message), "\(found.output)")
    }
    var altered = bytes
    altered[bytes.count - 1] ^= 1
    try altered.write(to: path)
    #expect(try await Tool.tessera("verify", out).status == 0)
    try await expect("\(file.path) has other content than its name says", deep: true)
    altered[8] = 2
    try altered.write(to: path)
    try await expect("\(file.path) is damaged: version 2 of the format")
    altered = bytes
    altered.replaceSubrange(64..<88, with: bytes[88..<112])
    try altered.write(to: path)
    try await expect("\(file.path) is damaged: the index is not in ascending order")
    try bytes.dropLast().write(to: path)
    try await expect("\(file.path) has \(bytes.count - 1) bytes instead of \(bytes.count)")
    try FileManager.default.removeItem(at: path)
    try await expect("\(file.path) is missing")
    let index = try #require(atlas.index)
    try fixture.folder.write("{}", to: "out/\(index)")
    try await expect("\(index) has other content than its name says")

    let removed = try await Tool.tessera("verify", out, "--remove-broken", "--json")
    #expect(removed.status == 1)
    #expect(try await fixture.run().status == 1)
    #expect(try await Tool.tessera("verify", out, "--deep").status == 0)
    #expect(try Data(contentsOf: path) == bytes)
  }

  @Test func shardsMakeNoTables() async throws {
    let fixture = try Self.fixture("tables: {avatar: {}}")
    let run = try await fixture.run("--shard", "0/2")
    #expect(run.status == 2)
    #expect(
      run.errors.contains("run without --shard, or remove \"tables\" from the pipeline file"))
  }

  @Test(arguments: [
    (
      "{avatr: {}}",
      "5:10: error: \"tables.avatr\": \"slots\" has no slot of this name (did you mean \"avatar\"?)"
    ),
    ("{}", "error: \"tables\" must name at least one slot"),
    (
      "{avatar: {scales: [4]}}",
      "error: \"tables.avatar.scales\" must be some of the pipeline's scales (1, 2, 3), found 4"
    ),
    ("{avatar: {scales: []}}", "error: \"tables.avatar.scales\" must have at least one scale"),
    ("{avatar: {scales: [2, 2]}}", "error: \"tables.avatar.scales\" names 2 twice"),
    ("{avatar: {pixels: bgra}}", "found \"bgra\" (did you mean \"bgra8\"?)"),
    ("{avatar: {pixels: []}}", "error: \"tables.avatar.pixels\" must have at least one format"),
    ("{avatar: {pixels: [webp, webp]}}", "error: \"tables.avatar.pixels\" names webp twice"),
    (
      "{avatar: {sclaes: 2}}",
      "unknown key \"sclaes\" in \"tables.avatar\"; did you mean \"scales\"?"
    ),
    (
      "{hero: {}}",
      "error: \"tables.hero\": at scale 3 its images have up to 1200 pixels on a side, and tables hold at most 1024; "
        + "name smaller scales, or leave the slot out"
    ),
  ])
  func mistakesAreReported(_ tables: String, _ message: String) async throws {
    let fixture = try RunFixture(
      manifest: "", keys: "tables: \(tables)",
      slots: "slots: {avatar: {size: 20x20, mode: clip}, hero: {size: 400x}}")
    let check = try await Tool.tessera("check", fixture.folder.path("feed.yaml"))
    #expect(check.status == 2)
    #expect((check.output + check.errors).contains(message), "\(check.output)\(check.errors)")
  }

  /// The examples in the specification are such as a run writes: the catalog's is read by the library.
  @Test func theSpecificationsExamplesAreValid() throws {
    let blocks = try Document("Pipelines/CATALOG.md").blocks("json")
    // After a whole catalog: the tables in its head, and the index of an atlas.
    try #require(blocks.count == 4)
    let head =
      #"{"schema":"tessera-catalog/1","generator":{"name":"","version":"","libvips":""},"#
      + #""pipeline":{"name":"","fingerprint":""},"formats":[],"slots":{},"scales":[1],"#
      + blocks[1].dropFirst().replacing("\n", with: " ")
    let catalog = try Catalog(reading: RunFixture.document([], head: head).utf8)
    let file = try #require(catalog.tables?["avatar"]?.first?.files.first)
    #expect(file.bytes == 1234 * 64 * 64 * 4 + 32_768 && file.path.contains(file.sha256.prefix(32)))
    #expect(try JSONSerialization.jsonObject(with: Data(blocks[2].utf8)) is [String: Any])
  }
}
