import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// A file that would be larger than a source of its size and format is the source's own image.
@Suite struct StoredImageTests {
  /// Strongly compressed sources, each with metadata and with bytes after its end.
  private static func sources(in folder: TemporaryFolder) async throws -> [String] {
    let names = ["plain.jpg", "display-p3.jpg", "lossy.webp", "animated.webp"]
    for name in names {
      let target = folder.path(name)
      let options = name.hasSuffix("webp") ? "[Q=5,effort=6]" : "[Q=12]"
      let source = Places.fixture(name).path + (name == "animated.webp" ? "[n=-1]" : "")
      let made = try await Tool.run("/usr/bin/vips", ["copy", source, target + options])
      try #require(made.status == 0, "\(made.errors)")
    }
    let plain = Places.fixture("plain.jpg").path
    let drawing = try await Tool.run(
      "/usr/bin/vips", ["copy", plain, folder.path("palette.png[palette,Q=20,colours=4]")])
    try #require(drawing.status == 0, "\(drawing.errors)")
    let all = names + ["palette.png"]
    let tags = ["-EXIF:Artist=SECRET", "-XMP-dc:Title=SECRET", "-Comment=SECRET"]
    for name in all where name != "animated.webp" {
      let tagged = try await Tool.run(
        "/usr/bin/exiftool", ["-overwrite_original"] + tags + [folder.path(name)])
      try #require(tagged.status == 0, "\(tagged.errors)")
    }
    for name in all {
      try (folder.read(name) + Data("TAIL".utf8)).write(to: URL(filePath: folder.path(name)))
    }
    return all
  }

  private static func run(
    _ names: [String], in folder: TemporaryFolder, _ variants: String
  ) async throws -> RunFixture {
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: "scales: [1]\nvariants: {\(variants)}", slots: "slots: {a: {size: 5000x}}")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    await nginx.stop()
    return fixture
  }

  @Test func smallSourcesDoNotGrow() async throws {
    let folder = try TemporaryFolder()
    let names = try await Self.sources(in: folder)
    let fixture = try await Self.run(names, in: folder, "format: source, quality: 95")
    for name in names {
      let path = try fixture.file(name, "a", scale: 1)
      let bytes = try Data(contentsOf: URL(filePath: path))
      // A profile that is not kept requires a new encoding.
      let isStored = name != "display-p3.jpg"
      #expect((bytes.count < (try folder.read(name)).count) == isStored, "\(name)")
      for word in ["SECRET", "TAIL", "Exif"] {
        #expect(bytes.range(of: Data(word.utf8)) == nil, "\(name): \(word)")
      }
      if isStored { try Self.expectSamePixels(folder.path(name), path) }
    }
    try await fixture.expectWhole()
  }

  /// A source that is larger than a new encoding of it is not stored.
  @Test func largeSourcesAreReencoded() async throws {
    let folder = try TemporaryFolder()
    let names = ["plain.png", "plain.jpg"]
    for (name, options) in zip(names, ["[compression=0]", "[Q=100]"]) {
      let made = try await Tool.run(
        "/usr/bin/vips", ["copy", Places.fixture("plain.jpg").path, folder.path(name) + options])
      try #require(made.status == 0, "\(made.errors)")
    }
    let fixture = try await Self.run(names, in: folder, "format: source, quality: 60")
    for name in names {
      let bytes = try Data(contentsOf: URL(filePath: try fixture.file(name, "a", scale: 1)))
      #expect(bytes.count * 10 < (try folder.read(name)).count * 9, "\(name)")
    }
  }

  @Test func storedImagesKeepTheConfiguredMetadata() async throws {
    let folder = try TemporaryFolder()
    let names = try await Self.sources(in: folder).filter { $0 != "animated.webp" }
    let fixture = try await Self.run(
      names, in: folder, "format: source, quality: 100, metadata: keep")
    for name in names {
      let path = try fixture.file(name, "a", scale: 1)
      try Self.expectSamePixels(folder.path(name), path)
      let tags = try await Tool.run("/usr/bin/exiftool", ["-G1", "-s", path]).output
      #expect(tags.contains("SECRET"), "\(name): \(tags)")
      #expect(tags.contains(/XMP-dc\] +Title/), "\(name)")
      #expect(tags.contains(/IFD0\] +Artist/), "\(name)")
      #expect(!tags.contains("Comment"), "\(name)")
      #expect(tags.contains("ICC_Profile") == (name == "display-p3.jpg"), "\(name)")
      #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data("TAIL".utf8)) == nil)
    }
  }

  /// Unusual JPEGs: an Adobe segment before JFIF's or between scans must not change colours, hidden
  /// bytes are removed, and damaged images are re-encoded.
  @Test func storedJPEGsHaveOnlyTheirImage() async throws {
    let folder = try TemporaryFolder()
    for name in ["base", "progressive"] {
      let made = try await Tool.run(
        "/usr/bin/vips",
        [
          "copy", Places.fixture("plain.jpg").path,
          folder.path("\(name).jpg[Q=12,strip\(name == "base" ? "" : ",interlace")]"),
        ])
      try #require(made.status == 0, "\(made.errors)")
    }
    let base = [UInt8](try folder.read("base.jpg"))
    let progressive = [UInt8](try folder.read("progressive.jpg"))
    let adobe =
      Array("\u{FF}".unicodeScalars.map { UInt8($0.value) }) + [0xEE, 0, 14]
      + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
    let secret = Array("SECRET".utf8)
    func firstScan(_ bytes: [UInt8], after start: Int = 0) -> Int {
      bytes.indices.first { $0 > start && bytes[$0...].starts(with: [0xFF, 0xDA]) } ?? 0
    }
    let between = firstScan(progressive, after: firstScan(progressive) + 2)
    let sources: [String: [UInt8]] = [
      "adobe-first": base[..<2] + adobe + base[2...],
      "adobe-between": progressive[..<between] + adobe + progressive[between...],
      "hidden": base.dropLast(2) + secret + [0xFF, 0xD9],
      "broken": base.prefix(base.count * 2 / 3) + [0xFF, 0xD9],
    ]
    for (name, bytes) in sources {
      try Data(bytes).write(to: URL(filePath: folder.path("\(name).jpg")))
    }
    let names = sources.keys.map { "\($0).jpg" }.sorted()
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: "scales: [1]\nvariants: {format: source, quality: 95}\nfail-on: none",
      slots: "slots: {a: {size: 5000x}}")
    _ = try await fixture.run()
    await nginx.stop()
    for name in names {
      let path = try fixture.file(name, "a", scale: 1)
      let bytes = try Data(contentsOf: URL(filePath: path))
      #expect(bytes.range(of: Data(secret)) == nil, "\(name)")
      let (before, after) = (try Pixels(folder.path(name)), try Pixels(path))
      // A re-encoded image is similar, a stored one identical.
      let farthest = zip(before.samples, after.samples).map { abs(Int($0) - Int($1)) }.max() ?? 255
      #expect(farthest <= (name.hasPrefix("adobe") ? 0 : 40), "\(name): \(farthest)")
    }
  }

  /// A PNG with invalid chunks is decoded, but never stored as it is.
  @Test(.faults(.i25)) func storedPNGsAreValid() async throws {
    let folder = try TemporaryFolder()
    let script = """
      import sys, zlib, struct
      data = open(sys.argv[1], "rb").read()
      chunks, at = [], 8
      while at < len(data):
          n = struct.unpack(">I", data[at:at + 4])[0]
          chunks.append((data[at + 4:at + 8], data[at + 8:at + 8 + n]))
          at += 12 + n
      def put(name, chunks, broken=None):
          out = data[:8]
          for kind, body in chunks:
              crc = zlib.crc32(kind + body) ^ (kind == broken)
              out += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc)
          open(sys.argv[2] + "/" + name + ".png", "wb").write(out)
      pixels = b"".join(b for k, b in chunks if k == b"IDAT")
      rest = [c for c in chunks if c[0] not in (b"IDAT", b"IEND")]
      end = [(b"IEND", b"")]
      put("good", rest + [(b"IDAT", pixels)] + end)
      put("hidden", rest + [(b"IDAT", pixels + b"SECRET")] + end)
      put("more", rest + [(b"IDAT", pixels), (b"IDAT", b"SECRET")] + end)
      put("end", rest + [(b"IDAT", pixels)] + end, broken=b"IEND")
      put("late", rest + [(b"IDAT", pixels), (b"tRNS", b"\\0")] + end)
      put("long-end", rest + [(b"IDAT", pixels), (b"IEND", b"SECRET")])
      long = [(k, b + b"SECRET" if k == b"PLTE" else b) for k, b in rest]
      put("long-palette", long + [(b"IDAT", pixels)] + end)
      put("long-alpha", rest + [(b"tRNS", b"\\xff\\xff\\xff\\xffSECRET"), (b"IDAT", pixels)] + end)
      put("after-end", rest + [(b"IDAT", pixels)] + end + [(b"tEXt", b"SECRET")])
      """
    try folder.write(script, to: "make.py")
    let palette = try await Tool.run(
      "/usr/bin/vips",
      [
        "copy", Places.fixture("plain.jpg").path,
        folder.path("p.png[palette,Q=20,colours=4,strip]"),
      ])
    try #require(palette.status == 0)
    let made = try await Tool.run(
      "/usr/bin/python3", [folder.path("make.py"), folder.path("p.png"), folder.path("")])
    try #require(made.status == 0, "\(made.errors)")
    let stored = ["good.png", "after-end.png"]
    let names =
      stored + ["hidden.png", "more.png", "end.png", "late.png"]
      + ["long-end.png", "long-palette.png", "long-alpha.png"]
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: "scales: [1]\nvariants: {format: png}\nfail-on: none",
      slots: "slots: {a: {size: 5000x}}")
    _ = try await fixture.run()
    await nginx.stop()
    for image in try fixture.catalog.images where image.status == .ok {
      let bytes = try fixture.folder.read("out/\(image.variants[0].reference)")
      #expect(bytes.range(of: Data("SECRET".utf8)) == nil, "\(image.id)")
      let source = try folder.read(image.id)
      #expect((bytes.count <= source.count) == stored.contains(image.id), "\(image.id)")
    }
    let shown = try fixture.catalog.images.filter { $0.status == .ok }.map(\.id)
    var decoded = stored
    for name in ["long-end.png", "long-palette.png"]
    where try await Libvips.decodes(folder.path(name)) {
      decoded.append(name)
    }
    #expect(Set(shown).isSuperset(of: decoded), "\(shown)")
  }

  /// Rotated sources and arithmetic coding, which browsers cannot read, are re-encoded.
  @Test func otherSourcesAreReencoded() async throws {
    let folder = try TemporaryFolder()
    for orientation in ["1", "3"] {
      let path = folder.path("\(orientation).jpg")
      let made = try await Tool.run(
        "/usr/bin/vips", ["copy", Places.fixture("plain.jpg").path, path + "[Q=12]"])
      try #require(made.status == 0)
      _ = try await Tool.run(
        "/usr/bin/exiftool", ["-overwrite_original", "-n", "-Orientation=\(orientation)", path])
    }
    let arithmetic = try await Tool.run(
      "/usr/bin/jpegtran",
      ["-arithmetic", "-outfile", folder.path("arithmetic.jpg"), folder.path("1.jpg")])
    try #require(arithmetic.status == 0, "\(arithmetic.errors)")
    let names = ["1.jpg", "3.jpg", "arithmetic.jpg"]
    let fixture = try await Self.run(names, in: folder, "format: source, quality: 95")
    for (name, isStored) in zip(names, [true, false, false]) {
      let bytes = try Data(contentsOf: URL(filePath: try fixture.file(name, "a", scale: 1)))
      #expect((bytes.count < (try folder.read(name)).count) == isStored, "\(name)")
      // SOF9: arithmetic coding.
      #expect(bytes.range(of: Data([0xFF, 0xC9])) == nil, "\(name)")
    }
    let cropped = try await Self.run(
      ["1.jpg"], in: folder, "format: webp, quality: 95")
    #expect(try cropped.file("1.jpg", "a", scale: 1).hasSuffix(".webp"))
  }

  private static func expectSamePixels(_ source: String, _ made: String) throws {
    let (before, after) = (try Pixels(source), try Pixels(made))
    let isSame = before.samples == after.samples
    #expect(isSame, "\(source)")
  }
}
