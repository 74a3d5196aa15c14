import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Pixels of the files that `tessera run` makes.
@Suite struct ImageTests {
  private static let red = [200, 40, 40]
  private static let green = [40, 160, 60]
  private static let blue = [40, 60, 180]
  private static let yellow = [230, 200, 50]

  /// Runs the pipeline on fixtures. Their ids are their names.
  private static func run(
    _ names: [String], keys: String = "", slots: String = RunFixture.slots
  ) async throws -> RunFixture {
    let nginx = try await Nginx(serving: Places.fixtures)
    let manifest = names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined()
    let fixture = try RunFixture(manifest: manifest, keys: keys, slots: slots)
    let result = try await fixture.run()
    await nginx.stop()
    #expect(result.status == 0, "\(result.errors)")
    return fixture
  }

  private static func expectCorners(_ pixels: Pixels, within limit: Int, _ name: String) {
    #expect(distance(pixels.at(0.25, 0.25), red) <= limit, "\(name): \(pixels.at(0.25, 0.25))")
    #expect(distance(pixels.at(0.75, 0.25), green) <= limit, "\(name): \(pixels.at(0.75, 0.25))")
    #expect(distance(pixels.at(0.25, 0.75), blue) <= limit, "\(name): \(pixels.at(0.25, 0.75))")
    #expect(distance(pixels.at(0.75, 0.75), yellow) <= limit, "\(name): \(pixels.at(0.75, 0.75))")
  }

  @Test(.faults(.i13)) func allEightOrientationsBecomeUpright() async throws {
    let names = (1...8).map { "orientation-\($0).jpg" } + ["rotated-phone-shot.jpg"]
    let fixture = try await Self.run(names)
    for name in names {
      for slot in ["avatar", "card", "hero"] {
        let pixels = try Pixels(try fixture.file(name, slot))
        Self.expectCorners(pixels, within: 12, "\(name) \(slot)")
      }
    }
    let phone = try #require(try fixture.catalog.images.last)
    #expect([phone.width, phone.height] == [600, 800])
    #expect(phone.slots["card"] == CatalogSlotUse(width: 180, height: 240, variants: [2, 3, 4]))
  }

  /// Colours are the same whatever the source's colour space.
  @Test(.faults(.i12), arguments: ["webp", "png", "jpeg", "avif", "jxl"])
  func coloursArePreserved(_ format: String) async throws {
    let names = ["plain.jpg", "display-p3.jpg", "lossy.webp", "broken-profile.jpg"]
    // At quality 80, libjxl changes the yellow's blue channel from 50 to 38.
    let quality = format == "jxl" ? 90 : 80
    let fixture = try await Self.run(
      names, keys: "variants: {format: \(format), quality: \(quality)}")
    for name in names {
      let pixels = try Pixels(try fixture.file(name, "card"))
      Self.expectCorners(pixels, within: 10, "\(name) as \(format)")
    }
    let images = try fixture.catalog.images
    #expect(
      images.last?.warnings == [
        "damaged-profile: the colour profile is damaged or does not match the image"
      ])
    #expect(images[0].warnings == nil)
  }

  @Test(.faults(.i11)) func sixteenBitAndGreyImagesBecomeEightBit() async throws {
    let fixture = try await Self.run(
      ["sixteen-bit.png", "grey.png"], keys: "variants: {format: png}")
    let colour = try Pixels(try fixture.file("sixteen-bit.png", "card"))
    #expect(distance(colour.at(0.5, 0.5), [128, 128, 117]) <= 3, "\(colour.at(0.5, 0.5))")
    let grey = try Pixels(try fixture.file("grey.png", "card"))
    #expect(abs(grey.at(0.5, 0.5)[0] - 128) <= 3)
  }

  @Test func alphaIsKeptWithoutDarkFringesOrFlattened() async throws {
    let names = ["transparent.png", "transparent-lossless.webp", "palette-transparent.png"]
    let kept = try await Self.run(names, slots: "slots: {a: {size: 64x}}")
    for name in names.prefix(2) {
      let pixels = try Pixels(try kept.file(name, "a", scale: 1))
      #expect(pixels.bands == 4)
      #expect(pixels.at(0.02, 0.02)[3] == 0)
      #expect(pixels.at(0.5, 0.5)[3] == 255)
      // Half-translucent pixels at the disc's edge keep the disc's colour.
      let edge = (0..<pixels.width).map { pixels[$0, pixels.height / 2] }
        .filter { (60...200).contains($0[3]) }
      #expect(!edge.isEmpty)
      for sample in edge { #expect(distance(sample, Self.blue) <= 25, "\(name): \(sample)") }
    }
    let flat = try await Self.run(
      names, keys: "variants: {format: jpeg, background: \"#e6c832\"}",
      slots: "slots: {a: {size: 64x}}")
    let corner = try Pixels(try flat.file("transparent.png", "a", scale: 1)).at(0.02, 0.02)
    #expect(distance(corner, Self.yellow) <= 6, "\(corner)")
  }

  /// A fully opaque alpha band is dropped before anything is resized.
  @Test func opaqueAlphaIsDropped() async throws {
    let folder = try TemporaryFolder()
    let made = try await Tool.run(
      "/usr/bin/vips",
      ["bandjoin_const", Places.fixture("plain.jpg").path, folder.path("opaque.png"), "255"])
    #expect(made.status == 0, "\(made.errors)")
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(manifest: nginx.url("/opaque.png"))
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let image = try #require(try fixture.catalog.images.first)
    #expect(image.alpha == true)
    for variant in image.variants {
      let bytes = Array(try fixture.folder.read("out/\(variant.reference)"))
      #expect(Container.parts(of: bytes) == ["VP8 "])
    }
    Self.expectCorners(
      try Pixels(try fixture.file(image.id, "card")), within: 12, "opaque.png")
  }

  @Test func animationsKeepTheirFramesDelaysAndLoop() async throws {
    let names = ["animated.gif", "animated.webp"]
    let fixture = try await Self.run(
      names, slots: "slots: {a: {size: 48x}, b: {size: 20x20, mode: clip}}")
    for name in names {
      for slot in ["a", "b"] {
        let path = try fixture.file(name, slot, scale: 1)
        #expect(try Pixels(path).frames == 6, "\(name) \(slot)")
        let delays = try await Tool.run("/usr/bin/vipsheader", ["-f", "delay", path])
        #expect(
          delays.output.trimmingCharacters(in: .whitespacesAndNewlines) == "100 100 100 100 100 100"
        )
        let loop = try await Tool.run("/usr/bin/vipsheader", ["-f", "loop", path])
        #expect(loop.output.trimmingCharacters(in: .whitespacesAndNewlines) == "0")
      }
    }
    #expect(try fixture.catalog.images.map(\.frames) == [6, 6])
    let still = try await Self.run(
      names, keys: "variants: {animation: first-frame}", slots: "slots: {a: {size: 48x}}")
    #expect(try Pixels(try still.file("animated.gif", "a", scale: 1)).frames == 1)
  }

  /// A frame's edge must not bleed into the next frame: the top line of each frame is opaque, the
  /// line above it (the end of the previous frame) is translucent.
  @Test func framesDoNotBleedIntoEachOther() async throws {
    let fixture = try await Self.run(["animated.gif"], slots: "slots: {a: {size: 48x}}")
    let pixels = try Pixels(try fixture.file("animated.gif", "a", scale: 1))
    let height = pixels.height / pixels.frames
    for frame in 0..<pixels.frames {
      #expect(pixels[2, frame * height][3] > 200, "frame \(frame): \(pixels[2, frame * height])")
      #expect(pixels[2, (frame + 1) * height - 1][3] < 40, "frame \(frame)")
    }
  }

  /// `strip` leaves only pixels, and an animation's timing. Checked in the container itself.
  @Test(.faults(.i15), arguments: ["webp", "jpeg", "png", "avif", "jxl"])
  func strippedFilesHaveOnlyPixels(_ format: String) async throws {
    var names = ["rotated-phone-shot.jpg", "display-p3.jpg", "transparent.png"]
    // In these two formats an animation becomes a WebP.
    if format != "avif" && format != "jxl" { names.append("animated.gif") }
    let fixture = try await Self.run(names, keys: "variants: {format: \(format)}")
    let allowed: Set<String> =
      switch format {
      case "webp": ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF"]
      case "jpeg": ["c2", "c4", "da", "db", "d8", "d9", "dd", "e0"]
      case "avif":
        [
          "ftyp", "meta", "mdat", "hdlr", "pitm", "iloc", "iinf", "infe av01", "iprp", "ipco",
          "ipma",
          "iref", "av1C", "ispe", "pixi", "auxC", "colr nclx",
        ]
      case "jxl": ["codestream"]
      default: ["IHDR", "PLTE", "IDAT", "IEND", "tRNS", "pHYs", "bKGD"]
      }
    for image in try fixture.catalog.images {
      for variant in image.variants {
        let bytes = Array(try fixture.folder.read("out/\(variant.reference)"))
        let found = Set(Container.parts(of: bytes))
        #expect(found.isSubset(of: allowed), "\(image.id): \(found)")
        #expect(!found.isEmpty)
      }
    }
    guard format == "webp" else { return }
    // A still image without alpha uses WebP's simple file format.
    let bytes = Array(
      try Data(contentsOf: URL(filePath: fixture.file("rotated-phone-shot.jpg", "card"))))
    #expect(Container.parts(of: bytes) == ["VP8 "])
  }

  @Test(.faults(.i20)) func imagesTooLargeForWebPBecomeJPEG() async throws {
    let fixture = try await Self.run(["tall-900x20000.png"])
    #expect(
      try fixture.catalog.outline == [
        "tall-900x20000.png ok 900x20000 png: 64x64 webp, 128x128 webp, 184x4096 webp, "
          + "369x8192 webp, 737x16383 webp, 900x20000 jpeg (webp-size-limit)"
      ])
  }
}

/// The names of the parts of an image file: chunks, markers or boxes.
enum Container {
  static func parts(of bytes: [UInt8]) -> [String] {
    switch bytes.first {
    case UInt8(ascii: "R"): webp(bytes)
    case 0xFF where bytes[1] == 0x0A: ["codestream"]
    case 0xFF: jpeg(bytes)
    case 0: boxes(bytes[...])
    default: png(bytes)
    }
  }

  private static func name(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// Boxes of the ISO base media file format, including those inside an AVIF's `meta` box.
  private static func boxes(_ bytes: ArraySlice<UInt8>) -> [String] {
    var parts: [String] = []
    var offset = bytes.startIndex
    while offset + 8 <= bytes.endIndex {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 8, offset + length <= bytes.endIndex else { return parts + ["broken"] }
      let box = name(bytes[offset + 4..<offset + 8])
      let body = bytes[offset + 8..<offset + length]
      switch box {
      case "infe": parts.append("infe \(name(body.dropFirst(8).prefix(4)))")
      case "colr": parts.append("colr \(name(body.prefix(4)))")
      default: parts.append(box)
      }
      switch box {
      case "meta": parts += boxes(body.dropFirst(4))
      case "iinf": parts += boxes(body.dropFirst(6))
      case "iprp", "ipco": parts += boxes(body)
      default: break
      }
      offset += length
    }
    return parts
  }

  private static func webp(_ bytes: [UInt8]) -> [String] {
    var parts: [String] = []
    var offset = 12
    while offset + 8 <= bytes.count {
      parts.append(name(bytes[offset..<offset + 4]))
      let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + 4 + $1]) << (8 * $1) }
      offset += 8 + length + length % 2
    }
    return parts
  }

  private static func png(_ bytes: [UInt8]) -> [String] {
    var parts: [String] = []
    var offset = 8
    while offset + 8 <= bytes.count {
      parts.append(name(bytes[offset + 4..<offset + 8]))
      offset += 12 + (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }
    return parts
  }

  /// Markers in hexadecimal, outside the entropy-coded data of scans.
  private static func jpeg(_ bytes: [UInt8]) -> [String] {
    var parts: [String] = []
    var offset = 0
    while offset + 1 < bytes.count {
      let marker = bytes[offset + 1]
      guard bytes[offset] == 0xFF, marker != 0, marker != 0xFF, !(0xD0...0xD7).contains(marker)
      else {
        offset += 1
        continue
      }
      parts.append(String(marker, radix: 16))
      if marker == 0xD8 || marker == 0xD9 {
        offset += 2
      } else {
        offset += 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      }
    }
    return parts
  }
}

/// Placeholders in the catalog.
@Suite struct CatalogPlaceholderTests {
  @Test func imagesHavePlaceholders() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = [
      "plain.jpg", "rotated-phone-shot.jpg", "transparent.png", "animated.gif", "grey.png",
    ]
    let manifest = names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined()
    let fixture = try RunFixture(
      manifest: manifest, keys: "placeholders: [blurhash, thumbhash, color]")
    #expect(try await fixture.run().status == 0)
    let images = try fixture.catalog.images
    for image in images {
      let placeholder = try #require(image.placeholder, "\(image.id)")
      #expect(placeholder.color?.wholeMatch(of: /#[0-9a-f]{6}/) != nil)
      #expect(placeholder.blurhash?.utf8.count == 28)
      let hash = try #require(Data(base64Encoded: placeholder.thumbhash ?? ""))
      // The hash has flags for alpha and for the longer side.
      #expect((hash[2] & 0x80 != 0) == (image.alpha == true), "\(image.id)")
      #expect((hash[4] & 0x80 != 0) == ((image.width ?? 0) > (image.height ?? 0)), "\(image.id)")
    }
    // A disc of one colour on a transparent background.
    #expect(images[2].placeholder?.color == "#283cb4")
    // Other placeholders are requested: they are in the state already.
    let all = images.map(\.placeholder)
    try fixture.write(keys: "")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["decodes"] == 0)
    #expect(
      try fixture.catalog.images.map(\.placeholder)
        == all.map { CatalogPlaceholder(color: $0?.color, thumbhash: $0?.thumbhash) })
    try fixture.write(keys: "placeholders: []")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images.allSatisfy { $0.placeholder == nil })
    // An unreachable source keeps its placeholders.
    await nginx.stop()
    try fixture.write(keys: "fetch: {allow: loopback, retries: 0, revalidate: always}")
    _ = try await fixture.run()
    #expect(try fixture.catalog.images.map(\.placeholder?.color) == all.map { $0?.color })
  }
}
