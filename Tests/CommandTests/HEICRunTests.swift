import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// HEIC as a format of files, through the command, and a machine that can't write it.
@Suite struct HEICRunTests {
  /// Upright, with alpha and corners, at odd sides; fallbacks are those of AVIF; a source in HEIC becomes another format.
  @Test func heicIsWrittenWhereAPipelineNamesIt() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = [
      "formats/corners.heic", "orientation-6.jpg", "transparent.png", "animated.gif",
      "tall-900x20000.png",
    ]
    let manifest = names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined()
    let fixture = try RunFixture(
      manifest: manifest,
      keys: "scales: [1]\nrounding: exact\nvariants: {format: [heic, source], oversized: png}",
      slots: "slots: {a: {size: 33x}, b: {size: 850x}}")
    let run = try await fixture.run()
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      try fixture.catalog.outline == [
        "formats/corners.heic ok 120x80 heic: 33x22 heic + jpeg, 120x80 heic + jpeg",
        "orientation-6.jpg ok 120x80 jpeg: 33x22 heic + jpeg, 120x80 heic + jpeg",
        "transparent.png ok 200x150 png: 33x25 heic + png, 200x150 heic + png",
        "animated.gif ok 96x64 gif: 33x22 webp (heic-no-animation), 96x64 webp (heic-no-animation)",
        "tall-900x20000.png ok 900x20000 png: 33x734 heic + png, "
          + "850x18889 png (heic-size-limit)",
      ])
    try await fixture.expectWhole()
    let verify = try await Tool.tessera("verify", fixture.folder.path("out"), "--deep")
    #expect(verify.status == 0, "\(verify.output)")
    for image in try fixture.catalog.images.prefix(3) {
      for variant in image.variants {
        let files = try variant.files.map { try Pixels(fixture.folder.path("out/\($0.reference)")) }
        #expect(variant.type == "image/heic" && variant.reference.hasSuffix(".heic"))
        #expect(files[0].width == variant.width && files[0].height == variant.height)
        #expect(files[0].bands == files[1].bands)
        for (x, y) in [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)] {
          let (heic, other) = (Self.seen(files[0].at(x, y)), Self.seen(files[1].at(x, y)))
          #expect(distance(heic, other) <= 16, "\(image.id) \(x) \(y): \(heic), \(other)")
        }
      }
    }
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["variants.made"] == 0)
    await nginx.stop()
  }

  /// On black: the colour of a transparent pixel does not matter.
  private static func seen(_ pixel: [Int]) -> [Int] {
    pixel.count < 4 ? pixel : pixel.prefix(3).map { $0 * pixel[3] / 255 } + [pixel[3]]
  }

  /// Where libheif has no encoder of HEVC, a pipeline that names HEIC is an error with the package, and all else works.
  @Test func aMachineWithoutTheEncoderSaysSo() async throws {
    let shim = try await WorkerShim(lacks: ["hevc"])
    let tessera = try await shim.tessera()
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: nginx.url("/plain.jpg") + "\n", keys: "variants: {format: [webp, heic]}")
    let missing =
      "this machine's libheif has no encoder of HEVC, which Debian 13 has in the package libheif-plugin-x265; "
      + "Tessera's archive and its container image leave it out, because x265 is under the GPL"
    for verb in ["check", "run"] {
      let result = try await Tool.run(tessera, [verb, fixture.folder.path("feed.yaml")])
      #expect(result.status == 2, "\(verb)")
      #expect(
        result.errors.contains("\"variants.format: heic\": \(missing)"), "\(verb): \(result.errors)"
      )
    }
    let doctor = try await Tool.run(tessera, ["doctor"])
    #expect(doctor.status == 0, "\(doctor.output)")
    #expect(doctor.output.contains("\nwrites    webp jpeg png avif jxl\n"))
    #expect(
      doctor.output.contains(
        "\ncan't write heic: \(missing); only a pipeline that names it (variants.format) needs it\n"
      ))
    try fixture.write(keys: "variants: {format: [avif, source]}")
    for verb in ["check", "run"] {
      let result = try await Tool.run(tessera, [verb, fixture.folder.path("feed.yaml")])
      #expect(result.status == 0, "\(verb): \(result.errors)")
    }
    await nginx.stop()
  }
}
