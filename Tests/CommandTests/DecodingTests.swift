import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Pixels of files whose sources are decoded at a reduced size, in parts, or turned.
@Suite struct DecodingTests {
  /// Runs a pipeline of one slot at scale 1 over files of a folder, whose names are the ids.
  private static func run(
    _ names: [String], in folder: TemporaryFolder, _ slot: String, _ variants: String,
    keys: String = "", status: Int32 = 0
  ) async throws -> RunFixture {
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: "scales: [1]\nvariants: {\(variants)}\n\(keys)", slots: "slots: {a: {\(slot)}}")
    let result = try await fixture.run()
    await nginx.stop()
    #expect(result.status == status, "\(result.errors)")
    return fixture
  }

  private static func vips(_ arguments: String...) async throws {
    let result = try await Tool.run("/usr/bin/vips", arguments)
    try #require(result.status == 0, "\(arguments): \(result.errors)")
  }

  /// Peak signal-to-noise ratio of the first band, in dB.
  private static func likeness(_ first: Pixels, _ second: Pixels) throws -> Double {
    try #require(first.width == second.width && first.height == second.height)
    var sum = 0.0
    for y in 0..<first.height {
      for x in 0..<first.width {
        let difference = Double(first[x, y][0] - second[x, y][0])
        sum += difference * difference
      }
    }
    let error = sum / Double(first.width * first.height)
    return error == 0 ? .infinity : 10 * log10(255 * 255 / error)
  }

  /// A square of a panorama is as sharp as one that is cut out of the full source and then resized.
  @Test func cropsOfAPanoramaAreSharp() async throws {
    let folder = try TemporaryFolder()
    try await Self.vips("zone", folder.path("all.png"), "1600", "200", "--uchar")
    let fixture = try await Self.run(
      ["all.png"], in: folder, "size: 50x50, mode: clip", "format: png")
    try await Self.vips(
      "extract_area", folder.path("all.png"), folder.path("part.png"), "700", "0", "200", "200")
    try await Self.vips("resize", folder.path("part.png"), folder.path("small.png"), "0.32")
    let made = try Pixels(try fixture.file("all.png", "a", scale: 1))
    let ratio = try Self.likeness(made, try Pixels(folder.path("small.png")))
    #expect(ratio > 30, "\(ratio) dB")
  }

  /// The decoder's own reduction is not visible: the result is as if the full source were resized
  /// with a Lanczos kernel. The widths are 1/8, 1/16, and a little more than 1/16 of the source's.
  @Test(arguments: [256, 128, 136])
  func jpegsDecodedSmallerAreSharp(_ width: Int) async throws {
    let folder = try TemporaryFolder()
    try await Self.vips("zone", folder.path("zone.png"), "2048", "2048", "--uchar")
    try await Self.vips("copy", folder.path("zone.png"), folder.path("zone.jpg[Q=95]"))
    let fixture = try await Self.run(
      ["zone.jpg"], in: folder, "size: \(width)x", "format: png",
      keys: "rounding: exact")
    try await Self.vips(
      "resize", folder.path("zone.jpg"), folder.path("small.png"), "\(Double(width) / 2048)")
    let made = try Pixels(try fixture.file("zone.jpg", "a", scale: 1))
    let ratio = try Self.likeness(made, try Pixels(folder.path("small.png")))
    #expect(ratio > 40, "\(width): \(ratio) dB")
  }

  /// As in Chromium, the Exif of a WebP does not turn it: neither a still nor an animation.
  @Test(arguments: ["lossy.webp", "animated.webp"])
  func exifDoesNotTurnWebP(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let plain = try Places.bytes(name)
    try Data(plain).write(to: URL(filePath: folder.path("plain.webp")))
    let turned = WebP.replacingExif(by: [("EXIF", Self.exif(6))], in: plain)
    try Data(turned).write(to: URL(filePath: folder.path("turned.webp")))
    let fixture = try await Self.run(
      ["plain.webp", "turned.webp"], in: folder, "size: 500x", "format: webp")
    let images = try fixture.catalog.images
    #expect(images[0].width == images[1].width && images[0].height == images[1].height)
    let files = try ["plain.webp", "turned.webp"].map {
      try Pixels(try fixture.file($0, "a", scale: 1))
    }
    #expect(files[0].width == files[1].width && files[0].frames == files[1].frames)
    #expect(files[0].samples == files[1].samples)
  }

  /// A RIFF chunk of odd length is followed by a byte that its length does not count.
  @Test func metadataAfterAnOddChunkIsFound() async throws {
    let folder = try TemporaryFolder()
    let odd = WebP.replacingExif(
      by: [("ABCD", [1, 2, 3, 4, 5]), ("EXIF", Self.exif(6) + [0])],
      in: try Places.bytes("lossy.webp"))
    try Data(odd).write(to: URL(filePath: folder.path("odd.webp")))
    for (policy, isKept) in [("keep", true), ("strip", false)] {
      let fixture = try await Self.run(
        ["odd.webp"], in: folder, "size: 500x", "format: webp, metadata: \(policy)")
      let image = try #require(try fixture.catalog.images.first)
      #expect([image.width, image.height] == [240, 160])
      let bytes = [UInt8](
        try Data(contentsOf: URL(filePath: fixture.file("odd.webp", "a", scale: 1))))
      let parts = Container.parts(of: bytes)
      #expect(parts.contains("EXIF") == isKept, "\(parts)")
      #expect(!parts.contains("ABCD"))
    }
  }

  /// I13: every orientation of every format that browsers turn by its Exif.
  @Test(.faults(.i13), arguments: ["jpg", "tif", "png"])
  func orientationsOfEveryFormatBecomeUpright(_ format: String) async throws {
    let folder = try TemporaryFolder()
    let numbers = Array(1...8)
    for number in numbers {
      let path = folder.path("\(number).\(format)")
      try await Self.vips("copy", Places.fixture("orientation-\(number).jpg").path, path)
      let tag = try await Tool.run("/usr/bin/exiftool", ["-s3", "-n", "-IFD0:Orientation", path])
      #expect(tag.output == "\(number)\n", "\(path)")
    }
    // Values that do not exist count as upright: red is where the file stores it.
    let illegal = [0, 9, 255]
    for number in illegal {
      let path = folder.path("\(number).\(format)")
      try await Self.vips("copy", Places.fixture("orientation-1.jpg").path, path + "[strip]")
      let set = try await Tool.run(
        "/usr/bin/exiftool",
        ["-overwrite_original", "-n", "-IFD0:Orientation=\(number)", path])
      try #require(set.status == 0, "\(number): \(set.errors)\(set.output)")
    }
    let names = (numbers + illegal).map { "\($0).\(format)" }
    let fixture = try await Self.run(
      names, in: folder, "size: 500x", "format: png",
      keys: "accept: [jpeg, tiff, png]")
    for image in try fixture.catalog.images {
      #expect([image.width, image.height] == [120, 80], "\(image.id)")
      let pixels = try Pixels(try fixture.file(image.id, "a", scale: 1))
      #expect(pixels.width == 120 && pixels.height == 80, "\(image.id)")
      let corners = [[200, 40, 40], [40, 160, 60], [40, 60, 180], [230, 200, 50]]
      for (place, colour) in zip([(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)], corners)
      {
        let seen = pixels.at(place.0, place.1)
        #expect(distance(seen, colour) <= 16, "\(image.id): \(seen) for \(colour)")
      }
    }
  }

  /// I26: the displayed part of a HEIC or AVIF (`clap`) is the image, and its pixels are that part.
  @Test(.faults(.i26)) func cleanAperturesAreTheImage() async throws {
    let folder = try TemporaryFolder()
    var bytes = try Places.bytes("sizes/cropped.avif")
    let start = try #require(bytes.firstRange(of: Array("clap".utf8))).upperBound
    func aperture(_ numbers: [Int32]) -> [UInt8] {
      numbers.flatMap { n in (0..<4).map { UInt8(truncatingIfNeeded: n >> (24 - 8 * $0)) } }
    }
    // 40 x 20 pixels at 70, 50 of 120 x 80: only yellow. Then one that leaves the image, and is
    // ignored.
    for (name, numbers) in [
      ("inside.avif", [40, 1, 20, 1, 30, 1, 20, 1]), ("outside.avif", [130, 1, 80, 1, 0, 1, 0, 1]),
    ] as [(String, [Int32])] {
      bytes.replaceSubrange(start..<start + 32, with: aperture(numbers))
      try Data(bytes).write(to: URL(filePath: folder.path(name)))
    }
    let fixture = try await Self.run(
      ["inside.avif", "outside.avif"], in: folder, "size: 500x", "format: png",
      keys: "accept: [avif]")
    let images = try fixture.catalog.images
    #expect([images[0].width, images[0].height] == [40, 20])
    let pixels = try Pixels(try fixture.file("inside.avif", "a", scale: 1))
    #expect(pixels.width == 40 && pixels.height == 20)
    for (x, y) in [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)] {
      #expect(distance(pixels.at(x, y), [230, 200, 50]) <= 8, "\(pixels.at(x, y))")
    }
    #expect([images[1].width, images[1].height] == [120, 80])
    let whole = try Pixels(try fixture.file("outside.avif", "a", scale: 1))
    #expect(whole.width == 120 && distance(whole.at(0.25, 0.25), [200, 40, 40]) <= 8)
  }

  /// A block of Exif with an orientation.
  private static func exif(_ orientation: UInt8) -> [UInt8] {
    Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]
      + [UInt8](repeating: 0, count: 6)
  }
}

/// Builds WebP files of the extended format from others.
private enum WebP {
  /// Replaces the Exif of a file by further chunks, one of them Exif.
  static func replacingExif(by chunks: [(String, [UInt8])], in file: [UInt8]) -> [UInt8] {
    var body: [UInt8] = []
    var offset = 12
    while offset + 8 <= file.count {
      let length = (0..<4).reduce(0) { $0 | Int(file[offset + 4 + $1]) << (8 * $1) }
      let end = min(file.count, offset + 8 + length + length % 2)
      if !file[offset...].starts(with: "EXIF".utf8) { body += file[offset..<end] }
      offset = end
    }
    // The flags are the first byte after "VP8X" and its length.
    body[8] |= 0x08
    return riff(body + chunks.flatMap { chunk($0.0, $0.1) })
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(body.count, 4) + body + [UInt8](repeating: 0, count: body.count % 2)
  }

  private static func riff(_ body: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + little(body.count + 4, 4) + Array("WEBP".utf8) + body
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
