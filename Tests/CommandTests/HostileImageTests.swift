import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Hostile images (group I of bad inputs): each fails with its own error within its limits, and the
/// next image succeeds.
@Suite struct HostileImageTests {
  private static let accept =
    "accept: [jpeg, png, gif, webp, avif, heic, tiff, jxl, bmp, svg, jp2, ico]"

  private struct Line: Decodable {
    var name: String
    var codes: [String]
  }

  @Test(.faults(.i1, .i2, .i3, .i4, .i5, .i6, .i7, .i9, .i10, .i19, .i21, .w13))
  func everyHostileImageCostsOneItem() async throws {
    let folder = try TemporaryFolder()
    let made = try await Tool.run(
      "/usr/bin/python3", [Places.fixture("hostile").path, folder.path("")])
    let lines = try made.output.split(separator: "\n").map { line in
      try JSONDecoder().decode(Line.self, from: Data(line.utf8))
    }
    try #require(lines.count >= 50, "\(made.errors)")
    let good = Places.fixture("one-pixel.png").lastPathComponent
    try FileManager.default.copyItem(
      at: Places.fixture(good), to: URL(filePath: folder.path(good)))
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    // Each one is followed by a good image at its own URL.
    let manifest = lines.enumerated().map { index, line in
      #"{"id":"\#(line.name)","url":"\#(nginx.url("/\(line.name)"))"}"# + "\n"
        + #"{"id":"good-\#(index)","url":"\#(nginx.url("/\(good)?\(index)"))"}"# + "\n"
    }
    let fixture = try RunFixture(
      manifest: manifest.joined(),
      keys: "\(Self.accept)\nworkers: 2\nlimits: {pixels: 100MP, memory: 1GB}")
    let clock = ContinuousClock.now
    let result = try await fixture.run()
    let seconds = clock.duration(to: .now)
    await nginx.stop()
    #expect(result.status == 1, "\(result.errors)")
    let images = try fixture.catalog.images
    try #require(images.count == lines.count * 2)
    for (index, line) in lines.enumerated() {
      let image = images[index * 2]
      let code = image.error?.code ?? image.status.rawValue
      #expect(
        line.codes.contains(code), "\(line.name): \(code), \(image.error?.message ?? "")")
      #expect(images[index * 2 + 1].status == .ok, "after \(line.name)")
    }
    try await fixture.expectWhole()
    // No output file contains the data that follows the image in a polyglot.
    for path in fixture.folder.files(below: "out/variants") {
      let bytes = try fixture.folder.read("out/variants/\(path)")
      #expect(bytes.range(of: Data("polyglot".utf8)) == nil, "\(path)")
    }
    #expect(seconds < .seconds(90), "\(seconds)")
    // The coordinator decodes no pixels.
    let memory = try fixture.report["peakMemoryBytes"] ?? .max
    #expect(memory < 300_000_000, "\(memory) bytes")
  }

  /// A truncated image fails, unless no visible pixel is missing.
  @Test(
    .faults(.i8, .n8),
    arguments: [
      "plain.jpg", "progressive.jpg", "transparent.png", "lossy.webp", "animated.gif",
    ])
  func truncatedImagesFail(_ name: String) async throws {
    let whole = try Places.bytes(name)
    let server = try FaultServer()
    for percent in 0...100 {
      let part = Array(whole.prefix(whole.count * percent / 100))
      server.route("/\(percent)") { $1.respond("200 OK", [:], part) }
    }
    let manifest = (0...100).map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }
    let fixture = try RunFixture(
      manifest: manifest.joined(),
      keys: "scales: [1]\nvariants: {format: png}\nfail-above: 100%",
      slots: "slots: {a: {size: 500x}}")
    #expect(try await fixture.run().status == 1)
    server.stop()
    let images = try fixture.catalog.images
    let last = try #require(images.last)
    #expect(last.status == .ok)
    for image in images where image.status == .ok {
      // Only bytes after the last pixel are missing: the files are identical.
      #expect(
        image.variants.map(\.path) == last.variants.map(\.path),
        "\(name), truncated after \(image.id) %")
    }
    #expect(images.count { $0.status == .ok } <= 3)
  }

  /// I13: invalid orientations count as upright.
  @Test(.faults(.i13)) func invalidOrientationsAreIgnored() async throws {
    let server = try FaultServer()
    var bytes = try Places.bytes("orientation-6.jpg")
    let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0]
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: entry) }.map { $0 + entry.count })
    for value: UInt8 in [0, 9, 255] {
      bytes[place] = value
      let odd = bytes
      server.route("/\(value).jpg") { $1.respond("200 OK", [:], odd) }
    }
    let fixture = try RunFixture(
      manifest: [0, 9, 255].map { server.url("/\($0).jpg") + "\n" }.joined())
    #expect(try await fixture.run().status == 0)
    server.stop()
    for image in try fixture.catalog.images {
      // The stored size: 80 x 120.
      #expect(image.width == 80 && image.height == 120, "\(image.url)")
      #expect(image.variants.allSatisfy { $0.width <= $0.height })
    }
  }

  /// I22: an image with exactly as many pixels as the limit is accepted, one more is rejected.
  @Test(.faults(.i22)) func pixelLimitIsExact() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    for (limit, status) in [(240 * 160, CatalogImage.Status.ok), (240 * 160 - 1, .failed)] {
      let fixture = try RunFixture(
        manifest: nginx.url("/plain.jpg"), keys: "limits: {pixels: \(limit)}")
      _ = try await fixture.run()
      let image = try #require(try fixture.catalog.images.first)
      #expect(image.status == status)
      if status == .failed { #expect(image.error?.code == "too-many-pixels") }
    }
    await nginx.stop()
  }

  /// `fail-on: none` shows damaged images with a warning; the other values reject them.
  @Test func damagedImagesAreShownOnRequest() async throws {
    let server = try FaultServer()
    let folder = try TemporaryFolder()
    var urls: [String] = []
    for name in ["plain.jpg", "transparent.png", "animated.gif"] {
      let bytes = try Places.bytes(name)
      let part = Array(bytes.prefix(bytes.count * 3 / 5))
      try Data(part).write(to: URL(filePath: folder.path(name)))
      guard try await Libvips.decodes(folder.path(name), "[fail_on=none]") else {
        print("not tested: a truncated \(name) (this libvips shows no part of it)")
        continue
      }
      server.route("/\(name)") { $1.respond("200 OK", [:], part) }
      urls.append(server.url("/\(name)") + "\n")
    }
    let fixture = try RunFixture(manifest: urls.joined(), keys: "fail-on: none")
    #expect(try await fixture.run().status == 0)
    for image in try fixture.catalog.images {
      #expect(image.status == .ok, "\(image.url): \(image.error?.message ?? "")")
      #expect(image.warnings?.count == 1)
      #expect(
        image.warnings?.first?.hasPrefix(
          "damaged: the image is damaged and was decoded as far as possible (fail-on: none): ")
          == true
      )
    }
    for level in ["truncated", "error"] {
      try fixture.write(keys: "fail-on: \(level)")
      #expect(try await fixture.run("--allow-loss").status == 1, "\(level)")
      #expect(try fixture.catalog.images.allSatisfy { $0.error?.code == "decode" }, "\(level)")
    }
    server.stop()
  }
}
