import TesseraCatalog
import TesseraPlan
import Testing

@testable import TesseraPipelineFile

/// What the keys of a service become.
@Suite struct DeliveryValueTests {
  private static let own = """
    delivery:
      base: "https://i.example/"
      template: "/{signature}/{signed}"
      signed: {fit: "f{width}", fill: "l{width}", clip: "c{width}"}
      modes: {fit: a, fill: b, clip: ""}
      formats: {webp: w, jpeg: j}
      metadata: {keep: k, strip: s}
      animation: {keep: m, first-frame: n}
      animations: true
      frames: 50
      crops-animations: false
      files-for: [animated, oversized]
      focus: {kind: position, scale: 10}
      longest-side: {webp: 12, jpeg: 13}
      pixels: 4MP
      source-pixels: 5MP
      source-bytes: 6MB
      source-side: 7
      source-frames: 8
      animation-pixels: 9MP
      source-formats: [gif, png]
      widths: [300, 100, 300]
      qualities: [90, 50]
      signature: {algorithm: sha1, of: "{signed}{key}{salt}", key-encoding: hex, encoding: hex,
        padding: true, length: 9, unsigned: u}
      key: 0aff
      salt: "00"

    """

  @Test func everyKeyOfAServiceIsStored() throws {
    let file = try KeyRangeTests.decode(Self.own)
    let service = try #require(file.delivery)
    #expect(service.base == "https://i.example")
    #expect(service.template?.names == [.signed, .signature])
    #expect(
      service.signed.mapValues { $0.expand { _ in "1" } } == [.fit: "f1", .fill: "l1", .clip: "c1"])
    #expect(service.modes == [.fit: "a", .fill: "b", .clip: ""])
    #expect(service.formats == [.webp: "w", .jpeg: "j"])
    #expect((service.metadata.keep, service.metadata.drop) == ("k", "s"))
    #expect((service.animation.keep, service.animation.drop) == ("m", "n"))
    #expect(service.keepsAnimations && !service.makesFiles)
    #expect(service.filesFor == [.animated, .oversized])
    #expect(service.focus.kind == .position && service.focus.scale == 10)
    var limits = ServiceLimits()
    limits.longestSides = [.webp: 12, .jpeg: 13]
    limits.areas = [
      .webp: 4_000_000, .jpeg: 4_000_000, .png: 4_000_000, .avif: 4_000_000, .jxl: 4_000_000,
      .heic: 4_000_000,
    ]
    limits.widths = [100, 300]
    limits.formats = [.webp, .jpeg]
    (limits.frames, limits.cropsAnimations) = (50, false)
    (limits.source.pixels, limits.source.bytes) = (5_000_000, 6_000_000)
    (limits.source.side, limits.source.frames) = (7, 8)
    limits.source.animationPixels = 9_000_000
    limits.source.formats = ["gif", "png"]
    #expect(service.limits == limits && file.plan.service == limits)
    // What is too large for the service is shown as it is, or has files.
    #expect(file.limits.pixels == 100_000_000)
    #expect(file.planOfFiles.service == nil && file.planOfFiles.formats == file.plan.formats)
    #expect(service.qualities == [50, 90])
    let signature = try #require(service.signature)
    #expect(signature.algorithm == .sha1 && signature.of?.names == [.signed, .key, .salt])
    #expect(signature.keyEncoding == .hex && signature.encoding == .hex && signature.isPadded)
    #expect(signature.length == 9 && signature.unsigned == "u")
    #expect(service.key == [0x0A, 0xFF] && service.salt == [0])
  }

  @Test func aServiceBesideFilesChangesNoPlan() throws {
    let file = try KeyRangeTests.decode(Self.own + "  files: true\n")
    #expect(file.delivery?.makesFiles == true && file.deliveringService == nil)
    #expect(file.plan.service == nil && file.limits.pixels == 100_000_000)
    #expect(try KeyRangeTests.decode(Self.own).deliveringService?.base == "https://i.example")
  }

  @Test(arguments: [
    ("nos", "keep", 50, true), ("nos", "first-frame", 50, false), ("qiniu", "keep", 1, false),
    ("cloudflare", "keep", nil, true),
  ])
  func animationsSurviveIfBothKeepThem(
    _ preset: String, _ animation: String, _ frames: Int?, _ isKept: Bool
  ) throws {
    let text =
      "delivery: {preset: \(preset), base: \"https://a.b\"}\nvariants: {animation: \(animation)}\n"
    let file = try KeyRangeTests.decode(text)
    #expect(file.delivery?.keepsAnimations == isKept)
    #expect(file.plan.keepsAnimation == (animation == "keep"))
    #expect(file.plan.service?.frames == frames)
    // Where the number of frames decides, they are counted.
    #expect(file.countsFrames == (animation == "keep" || preset == "qiniu"))
    let other = try KeyRangeTests.decode(text.replacing("}\nv", with: ", files: true}\nv"))
    #expect(other.plan.keepsAnimation == (animation == "keep"))
  }

  @Test func theLimitOfPixelsIsThePipelines() throws {
    let text = "delivery: {preset: qiniu}\nlimits: {pixels: 200MP}\n"
    #expect(try KeyRangeTests.decode(text).limits.pixels == 200_000_000)
    // Without a word for it, crops are left to clients.
    let next = try KeyRangeTests.decode("delivery: {preset: next, base: \"https://a.b\"}\n")
    #expect(next.plan.service?.crops == false && next.plan.service?.source.side == nil)
    #expect(next.limits.pixels == 100_000_000)
  }
}
