import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Several formats, formats that depend on the source, and crops that depend on the pixels.
@Suite struct FormatListTests {
  private static func fixture(
    _ nginx: Nginx, _ names: [String], keys: String, slots: String
  ) throws -> RunFixture {
    let manifest = names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined()
    return try RunFixture(manifest: manifest, keys: keys, slots: slots)
  }

  @Test func severalFormatsMakeAFileOfEach() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = ["rotated-phone-shot.jpg", "tall-900x20000.png", "animated.gif", "transparent.png"]
    let keys = "scales: [1]\nvariants: {format: [avif, webp, jpeg], effort: {avif: 0}}"
    let slots = "slots: {a: {size: 60x}, b: {size: x400}}"
    let fixture = try Self.fixture(nginx, names, keys: keys, slots: slots)
    let first = try await fixture.run()
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      try fixture.catalog.outline == [
        "rotated-phone-shot.jpg ok 600x800 jpeg: 96x128 avif + webp + jpeg, "
          + "384x512 avif + webp + jpeg",
        "tall-900x20000.png ok 900x20000 png: 23x512 avif + webp + jpeg, "
          + "92x2048 avif + webp + jpeg",
        "animated.gif ok 96x64 gif: 64x43 webp (avif-no-animation) + jpeg, "
          + "96x64 webp (avif-no-animation) + jpeg",
        "transparent.png ok 200x150 png: 64x48 avif + webp + jpeg, 200x150 avif + webp + jpeg",
      ])
    try await fixture.expectWhole()
    #expect(try fixture.report["variants.asked"] == 24)
    #expect(try fixture.report["variants.made"] == 22)
    // All formats show the same image.
    for image in try fixture.catalog.images where image.alpha == false {
      for variant in image.variants {
        let first = try Pixels(fixture.folder.path("out/\(variant.reference)"))
        for other in variant.also {
          let pixels = try Pixels(fixture.folder.path("out/\(other.reference)"))
          #expect(pixels.width == first.width && pixels.height == first.height)
          #expect(distance(pixels.mean, first.mean) <= 3, "\(other.path): \(pixels.mean)")
        }
      }
    }
    // If one of several files is missing, only that one is regenerated, with the same bytes.
    let catalog = try fixture.catalogText
    let lost = try #require(try fixture.catalog.images[0].variants[0].also.first?.path)
    try FileManager.default.removeItem(atPath: fixture.folder.path("out/\(lost)"))
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["variants.made"] == 1)
    #expect(try fixture.catalogText == catalog)
    // Another order of preference makes no new file.
    try fixture.write(
      keys: "scales: [1]\nvariants: {format: [webp, avif, jpeg], effort: {avif: 0}}", slots: slots)
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["variants.made"] == 0)
    #expect(
      try fixture.catalog.outline[2]
        == "animated.gif ok 96x64 gif: 64x43 webp + jpeg, 96x64 webp + jpeg")
    await nginx.stop()
  }

  @Test func formatsCanDependOnTheSource() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = ["plain.jpg", "grey.png", "lossy.webp", "animated.gif", "transparent.png"]
    let slots = "slots: {a: {size: 60x}}"
    func formats(_ choice: String) async throws -> [String] {
      let fixture = try Self.fixture(
        nginx, names, keys: "scales: [1]\nvariants: {format: \(choice)}", slots: slots)
      #expect(try await fixture.run().status == 0)
      return try fixture.catalog.images.flatMap { image in
        image.variants.map { String($0.type.dropFirst(6)) }
      }
    }
    #expect(try await formats("source") == ["jpeg", "png", "webp", "webp", "png"])
    #expect(try await formats("compatible") == ["jpeg", "jpeg", "jpeg", "png", "png"])
    await nginx.stop()
  }

  /// A crop contains the only object in the image; an item's focus takes precedence; all scales and
  /// formats show the same part.
  @Test(arguments: ["attention", "entropy"])
  func cropsContainTheObject(_ gravity: String) async throws {
    let folder = try TemporaryFolder()
    var random = SplitMix(seed: 8)
    try await Pixels.make(folder.path("p.png"), width: 900, height: 300) { x, y in
      // A noisy red disc on the right, on plain grey.
      let isDisc = (x - 760) * (x - 760) + (y - 150) * (y - 150) < 80 * 80
      return isDisc ? [Int.random(in: 150...250, using: &random), 60, 50] : [120, 120, 120]
    }
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let url = nginx.url("/p.png")
    let fixture = try RunFixture(
      manifest: """
        {"id":"found","url":"\(url)"}
        {"id":"focused","url":"\(url)","focus":[0.2,0.5]}

        """,
      keys: "variants: {format: [webp, png], gravity: \(gravity)}",
      slots: "slots: {a: {size: 50x50, mode: clip}, b: {size: 20x20, mode: clip}}")
    #expect(try await fixture.run().status == 0)
    let found = try fixture.catalog.images[0]
    for variant in found.variants {
      for path in variant.files.map(\.reference) {
        let pixels = try Pixels(fixture.folder.path("out/\(path)"))
        // The whole disc is inside: the leftmost column is grey.
        #expect(distance(pixels.at(0, 0.5), [120, 120, 120]) <= 12, "\(path)")
        let reds = (0..<pixels.width).filter { pixels[$0, pixels.height / 2][0] > 140 }
        let width = Double(reds.count) / Double(pixels.width)
        #expect((0.45...0.6).contains(width), "\(path): \(width)")
      }
    }
    let focused = try Pixels(try fixture.file("focused", "a"))
    #expect(distance(focused.at(0.99, 0.5), [120, 120, 120]) <= 4)
    #expect(distance(focused.at(0.5, 0.5), [120, 120, 120]) <= 4)
    await nginx.stop()
  }

  /// Some encoders crash or write half a file when an allocation fails. The item's error is
  /// `out-of-memory`, and the next item succeeds.
  @Test(arguments: [("avif", 256), ("jxl", 256), ("webp", 256), ("heic", 400)])
  func encodersReportExhaustedMemory(_ format: String, _ megabytes: Int) async throws {
    let folder = try TemporaryFolder()
    let made = try await Tool.run(
      "/usr/bin/vips", ["black", folder.path("large.png"), "4400", "3400", "--bands", "3"])
    #expect(made.status == 0)
    try FileManager.default.copyItem(
      at: Places.fixture("plain.jpg"), to: URL(filePath: folder.path("small.jpg")))
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: nginx.url("/large.png") + "\n" + nginx.url("/small.jpg") + "\n",
      keys:
        "scales: [1]\nworkers: 1\nlimits: {memory: \(megabytes)MB}\nvariants: {format: \(format)}",
      slots: "slots: {a: {size: 5000x}}")
    #expect(try await fixture.run().status == 1)
    let images = try fixture.catalog.images
    #expect(images[0].error?.code == "out-of-memory", "\(images[0].error?.message ?? "")")
    #expect(images[1].status == .ok, "\(images[1].error?.message ?? "")")
    await nginx.stop()
  }

  /// The result does not depend on the pipeline's earlier settings: an animation's first frame may
  /// have two files, one decoded with all frames and one without.
  @Test func earlierSettingsDoNotAffectTheResult() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let slots = "slots: {a: {size: 60x}}"
    let names = ["animated.gif", "display-p3.jpg"]
    let last = "variants: {format: jpeg}"
    let fresh = try Self.fixture(nginx, names, keys: last, slots: slots)
    #expect(try await fresh.run().status == 0)
    let used = try Self.fixture(
      nginx, names, keys: "variants: {format: [webp, jpeg], metadata: keep}", slots: slots)
    #expect(try await used.run().status == 0)
    try used.write(
      keys: "placeholders: [color, thumbhash, blurhash]\nvariants: {format: [webp, jpeg]}",
      slots: slots)
    #expect(try await used.run().status == 0)
    try used.write(keys: last, slots: slots)
    #expect(try await used.run().status == 0)
    #expect(try used.catalogText == fresh.catalogText)
    await nginx.stop()
  }
}
