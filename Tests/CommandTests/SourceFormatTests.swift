import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Sources of every decoded format: orientation and colours.
@Suite struct SourceFormatTests {
  private static let accept =
    "accept: [jpeg, png, gif, webp, avif, heic, tiff, jxl, bmp, svg, jp2, ico]"
  private static let corners = [[200, 40, 40], [40, 160, 60], [40, 60, 180], [230, 200, 50]]

  /// Each with the largest difference per sample that its encoding causes.
  private static let sources: [(name: String, size: String, format: String, within: Int)] = [
    ("corners.tif", "120x80", "tiff", 0), ("tiled-jpeg.tif", "120x80", "tiff", 2),
    ("turned.tif", "120x80", "tiff", 0), ("lab.tif", "120x80", "tiff", 1),
    ("corners.heic", "120x80", "heic", 6), ("grid.heic", "120x80", "heic", 6),
    ("corners.avif", "120x80", "avif", 4),
    ("ten-bits.avif", "120x80", "avif", 4), ("p3-by-numbers.avif", "120x80", "avif", 5),
    ("corners.jxl", "120x80", "jxl", 0),
    ("lossy.jxl", "120x80", "jxl", 4), ("corners.jp2", "120x80", "jp2", 0),
    ("corners.bmp", "120x80", "bmp", 0), ("four-bits.bmp", "120x80", "bmp", 0),
    ("runs.bmp", "120x80", "bmp", 0), ("565.bmp", "120x80", "bmp", 7),
    ("alpha.bmp", "120x80", "bmp", 0), ("png.ico", "64x64", "ico", 0),
    ("masked.ico", "48x48", "ico", 0), ("corners.svg", "120x80", "svg", 0),
    ("p3-sixteen-bit-alpha.png", "120x80", "png", 1),
  ]

  @Test(.faults(.i11, .i18)) func everyFormatKeepsItsColours() async throws {
    let nginx = try await Nginx(serving: Places.fixture("formats"))
    let manifest = Self.sources.map { source in
      #"{"id":"\#(source.name)","url":"\#(nginx.url("/\(source.name)"))"}"# + "\n"
    }
    let fixture = try RunFixture(
      manifest: manifest.joined(), keys: "\(Self.accept)\nscales: [1]\nvariants: {format: png}",
      slots: "slots: {a: {size: 500x}}")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    for (source, image) in zip(Self.sources, try fixture.catalog.images) {
      #expect("\(image.width ?? 0)x\(image.height ?? 0)" == source.size, "\(source.name)")
      #expect(image.format == source.format)
      #expect(image.warnings == nil, "\(source.name): \(image.warnings ?? [])")
      guard image.status == .ok else { continue }
      let pixels = try Pixels(try fixture.file(source.name, "a"))
      let places = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
      for (place, colour) in zip(places, Self.corners) {
        let seen = pixels.at(place.0, place.1)
        #expect(distance(seen, colour) <= source.within, "\(source.name): \(seen) for \(colour)")
      }
      // Half alpha stays half, and masked pixels are transparent.
      let alpha = pixels.bands == 4 ? pixels.at(0.25, 0.25)[3] : 255
      let isHalf = ["alpha.bmp", "p3-sixteen-bit-alpha.png"].contains(source.name)
      #expect(abs(alpha - (isHalf ? 128 : 255)) <= 1, "\(source.name): \(alpha)")
      if source.name == "masked.ico" { #expect(pixels[0, 0][3] == 0) }
    }
    try await fixture.expectWhole()
    await nginx.stop()
  }

  /// CMYK without a profile: the same as LittleCMS's conversion with libvips' profile.
  @Test(.faults(.i11)) func cmykTIFFMatchesLittleCMS() async throws {
    let nginx = try await Nginx(serving: Places.fixture("formats"))
    let fixture = try RunFixture(
      manifest: nginx.url("/cmyk.tif"),
      keys: "\(Self.accept)\nscales: [1]\nvariants: {format: png}",
      slots: "slots: {a: {size: 500x}}")
    #expect(try await fixture.run().status == 0)
    let reference = fixture.folder.path("reference.png")
    let source = Places.fixture("formats/cmyk.tif").path
    let made = try await Tool.run(
      "/usr/bin/vips", ["icc_transform", source, reference, "srgb", "--input-profile", "cmyk"])
    #expect(made.status == 0)
    let image = try #require(try fixture.catalog.images.first)
    let pixels = try Pixels(fixture.folder.path("out/\(image.variants[0].reference)"))
    let expected = try Pixels(reference)
    for (x, y) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
      #expect(distance(pixels.at(x, y), expected.at(x, y)) <= 1)
    }
    await nginx.stop()
  }

  /// Unusual formats are accepted only if `accept` lists them.
  @Test func unusualFormatsMustBeListed() async throws {
    let nginx = try await Nginx(serving: Places.fixture("formats"))
    let names = ["corners.svg", "corners.jp2", "png.ico", "corners.bmp", "corners.tif"]
    let fixture = try RunFixture(
      manifest: names.map { nginx.url("/\($0)") + "\n" }.joined(), slots: "slots: {a: {size: 50x}}")
    #expect(try await fixture.run().status == 1)
    #expect(
      try fixture.catalog.images.map { $0.error?.code } == [
        "unsupported-format", "unsupported-format", "unsupported-format", nil, nil,
      ])
    await nginx.stop()
  }

  /// SVG lengths in any unit are CSS pixels: 96 per inch.
  @Test(arguments: [
    ("width=\"120\" height=\"80\"", 120, 80), ("width=\"120px\" height=\"80px\"", 120, 80),
    ("width=\"90pt\" height=\"60pt\"", 120, 80), ("width=\"1.25in\" height=\"1in\"", 120, 96),
    ("width=\"2.54cm\" height=\"25.4mm\"", 96, 96), ("viewBox=\"0 0 120 80\"", 120, 80),
    ("width=\"240\" height=\"160\" viewBox=\"0 0 120 80\"", 240, 160),
    // Fractions round to the nearest whole number, halves upwards, as Chromium's naturalWidth does. Of
    // a drawing without any length browsers know the shape alone, and fit it into 300 x 150; here its
    // viewBox is its size, as in other programs that read sizes.
    ("viewBox=\"0 0 33.5 20.2\"", 34, 20), ("width=\"33.5\" height=\"20.2\"", 34, 20),
    ("width=\"33.4\" height=\"20.6\"", 33, 21), ("width=\"33.5\" viewBox=\"0 0 10 7\"", 34, 23),
    ("width=\"100%\" height=\"100%\" viewBox=\"0 0 33.5 20.2\"", 34, 20),
  ])
  func svgSizesAreCSSPixels(_ size: String, _ width: Int, _ height: Int) async throws {
    let server = try FaultServer()
    let text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size)><rect width=\"100%\" height=\"100%\" "
      + "fill=\"rgb(40,160,60)\"/></svg>"
    server.route("/a.svg") { $1.respond("200 OK", [:], Array(text.utf8)) }
    let fixture = try RunFixture(
      manifest: server.url("/a.svg"),
      keys: "\(Self.accept)\nscales: [1]\nvariants: {format: png}",
      slots: "slots: {full: {size: 1000x}, small: {size: 30x}}")
    #expect(try await fixture.run().status == 0)
    server.stop()
    let image = try #require(try fixture.catalog.images.first)
    #expect([image.width, image.height] == [width, height])
    for slot in ["full", "small"] {
      let pixels = try Pixels(try fixture.file(image.id, slot))
      for (x, y) in [(0.03, 0.03), (0.97, 0.97)] {
        #expect(distance(pixels.at(x, y), [40, 160, 60]) <= 2, "\(slot): \(pixels.at(x, y))")
      }
    }
  }

  /// References of an SVG to files, URLs and external entities are never followed.
  @Test(.faults(.i16)) func svgReferencesAreNotFollowed() async throws {
    let folder = try TemporaryFolder()
    let server = try FaultServer()
    server.route("/canary.png") { $1.fixture("plain.jpg") }
    let secret = try folder.write("the secret", to: "secret.txt")
    try FileManager.default.copyItem(
      at: Places.fixture("plain.jpg"), to: URL(filePath: folder.path("canary.jpg")))
    let canaries = [
      "<image href=\"\(server.url("/canary.png"))\" width=\"100\" height=\"100\"/>",
      "<image href=\"file://\(folder.path("canary.jpg"))\" width=\"100\" height=\"100\"/>",
      "<image href=\"canary.jpg\" width=\"100\" height=\"100\"/>",
      "<style>@import url(\"\(server.url("/canary.png"))\");</style>",
      "<use href=\"\(server.url("/canary.png"))#a\"/>",
      "<text y=\"50\">&secret;</text>",
      "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"\(secret)\" parse=\"text\"/>",
    ]
    let drawing: @Sendable (String) -> String = { body in
      """
      <?xml version="1.0"?>
      <!DOCTYPE svg [<!ENTITY secret SYSTEM "file://\(secret)">]>
      <svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">
      <rect width="100" height="100" fill="rgb(40,160,60)"/>\(body)</svg>
      """
    }
    server.route("/plain.svg") { $1.respond("200 OK", [:], Array(drawing("").utf8)) }
    for (index, canary) in canaries.enumerated() {
      server.route("/\(index).svg") { $1.respond("200 OK", [:], Array(drawing(canary).utf8)) }
    }
    let manifest =
      server.url("/plain.svg") + "\n"
      + canaries.indices.map { server.url("/\($0).svg") + "\n" }.joined()
    let fixture = try RunFixture(
      manifest: manifest, keys: "\(Self.accept)\nscales: [1]\nvariants: {format: png}",
      slots: "slots: {a: {size: 64x}}")
    _ = try await fixture.run()
    let images = try fixture.catalog.images
    let path = try #require(images[0].variants.first?.path)
    let plain = try fixture.folder.read("out/\(path)")
    for image in images.dropFirst() {
      // Either rejected, or rendered as if the reference were not there.
      let shown = try image.variants.first?.path.map { try fixture.folder.read("out/\($0)") }
      #expect(image.status == .failed || shown == plain, "\(image.url) \(image.status)")
    }
    #expect(server.count("/canary.png") == 0)
    server.stop()
  }
}
