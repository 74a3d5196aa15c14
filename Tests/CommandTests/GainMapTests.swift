import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// `variants: {hdr: keep}`: JPEG files with the gain map of their source, read by a program that is not of this project.
@Suite struct GainMapRunTests {
  /// A photograph with a gain map of half its size behind it, as cameras write it (Ultra HDR 1.1).
  private static func source(_ folder: TemporaryFolder, _ name: String = "hdr.jpg") async throws {
    let map = folder.path("map.jpg")
    for words in [
      ["black", folder.path("map.v"), "120", "80"], ["invert", folder.path("map.v"), map],
    ] {
      let result = try await Tool.run("/usr/bin/vips", words)
      #expect(result.status == 0, "\(result.errors)")
    }
    let namespace = "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\""
    let second = with(
      "<x \(namespace) hdrgm:GainMapMax=\"2\" hdrgm:HDRCapacityMax=\"2\"/>",
      try [UInt8](Data(contentsOf: URL(filePath: map))))
    let first = with("<x \(namespace)/>", try Places.bytes("plain.jpg"))
    try Data(first + second).write(to: URL(filePath: folder.path(name)))
  }

  /// A JPEG with an XMP packet.
  private static func with(_ packet: String, _ image: [UInt8]) -> [UInt8] {
    let body = Array("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8)
    let length = UInt16(body.count + 2)
    return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + body + image[2...]
  }

  private static func fixture(_ range: String) async throws -> RunFixture {
    let fixture = try RunFixture(
      manifest: "", keys: keys(range), slots: slots)
    try await source(fixture.folder)
    let paths = [
      ("hdr", fixture.folder.path("hdr.jpg")), ("plain", Places.fixture("progressive.jpg").path),
    ]
    let lines = paths.map { #"{"id":"\#($0)","url":"file://\#($1)"}"# }
    try fixture.folder.write(lines.joined(separator: "\n"), to: "manifest")
    return fixture
  }

  private static let slots = "slots: {card: {size: 60x}}\nscales: [1, 2]"

  private static func keys(_ range: String) -> String {
    "fetch: {allow: [\"files:/\"]}\nvariants: {hdr: \(range)}"
  }

  private static func high(_ image: CatalogImage) -> [CatalogVariant.File] {
    image.variants.compactMap(\.highDynamicRangeFile)
  }

  @Test func eachSizeHasAFileWithItsMap() async throws {
    let fixture = try await Self.fixture("keep")
    #expect(try await fixture.run().status == 0)
    let catalog = try fixture.catalog
    let images = catalog.images
    #expect(images.map(\.status) == [.ok, .ok])
    #expect(Self.high(images[1]).isEmpty)
    let files = Self.high(images[0])
    #expect(files.count == images[0].variants.count)
    for (variant, file) in zip(images[0].variants, files) {
      let format = try #require(file.format.map { catalog.formats[$0] })
      #expect((file.type, format.dynamicRange, variant.headroom) == ("image/jpeg", "high", 4))
      #expect(variant.files.map(\.type) == ["image/webp"])
      let path = fixture.folder.path("out/\(try #require(file.path))")
      let tags = try await Tool.run("/usr/bin/exiftool", ["-a", "-G1", "-s", path]).output
      for tag in ["[MPF0] NumberOfImages : 2", "[XMP-hdrgm] Version : 1.0"] {
        let pattern = tag.split(separator: " ").map(String.init)
        #expect(
          tags.split(separator: "\n").contains { line in
            line.split(separator: " ", omittingEmptySubsequences: true).map(String.init) == pattern
          }, "\(tag): \(tags)")
      }
      // The second image by the list, with its own packet.
      let second = fixture.folder.path("second.jpg")
      let read = try await Tool.run(
        "/bin/sh", ["-c", "exiftool -b -MPImage2 \"$0\" > \"$1\"", path, second])
      #expect(read.status == 0)
      let map = try await Tool.run(
        "/usr/bin/exiftool",
        ["-s3", "-ImageSize", "-GainMapMax", "-HDRCapacityMax", "-GainMapMin", second]
      ).output
      let size = "\((variant.width + 1) / 2)x\((variant.height + 1) / 2)"
      #expect(map.split(separator: "\n").map(String.init) == [size, "2.0", "2.0", "0.0"])
    }
    // Nothing is made again.
    #expect(try await fixture.run().output.contains("nothing has changed"))
    let output = fixture.folder.path("out")
    #expect(try await Tool.run(Places.tessera, ["verify", output]).status == 0)
  }

  @Test func theSettingDecidesAndCanBeChanged() async throws {
    let fixture = try await Self.fixture("sdr")
    #expect(try await fixture.run().status == 0)
    let before = try fixture.catalog.images
    #expect(before.flatMap(Self.high).isEmpty)
    try fixture.write(keys: Self.keys("keep"), slots: Self.slots)
    #expect(try await fixture.run().status == 0)
    let after = try fixture.catalog.images
    #expect(Self.high(after[0]).count == after[0].variants.count)
    // The other files are those of before.
    #expect(after.map { $0.variants.map(\.path) } == before.map { $0.variants.map(\.path) })
    // Now it is known which sources have a map.
    #expect(try await fixture.run().output.contains("nothing has changed"))
  }

  @Test func pagesOfferThemToScreensOfHighRange() async throws {
    let fixture = try await Self.fixture("keep")
    #expect(try await fixture.run().status == 0)
    let result = try await Tool.run(
      Places.tessera,
      [
        "export", fixture.folder.path("out"), "--as", "html", "--to",
        fixture.folder.path("page.html"),
      ])
    #expect(result.status == 0, "\(result.errors)")
    let text = try fixture.folder.text("page.html")
    let sources = text.components(separatedBy: "<source ").dropFirst()
    #expect(sources.count == 1)
    let source = try #require(sources.first)
    #expect(source.hasPrefix("media=\"(dynamic-range: high)\" type=\"image/jpeg\" srcset=\""))
    for file in try Self.high(fixture.catalog.images[0]) {
      #expect(source.contains(try #require(file.path)))
    }
  }
}
