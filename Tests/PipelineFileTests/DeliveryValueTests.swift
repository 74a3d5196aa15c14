import TesseraCatalog
import TesseraDelivery
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
      focus: {kind: position, scale: 10}
      longest-side: {webp: 12, jpeg: 13}
      pixels: 4MP
      source-pixels: 5MP
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
    #expect(service.focus.kind == .position && service.focus.scale == 10)
    var limits = ServiceLimits()
    limits.longestSides = [.webp: 12, .jpeg: 13]
    limits.areas = [
      .webp: 4_000_000, .jpeg: 4_000_000, .png: 4_000_000, .avif: 4_000_000, .jxl: 4_000_000,
      .heic: 4_000_000,
    ]
    limits.widths = [100, 300]
    limits.formats = [.webp, .jpeg]
    #expect(service.limits == limits && file.plan.service == limits)
    #expect(service.sourcePixels == 5_000_000 && file.limits.pixels == 5_000_000)
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
    ("nos", "keep", true), ("nos", "first-frame", false), ("qiniu", "keep", false),
  ])
  func animationsSurviveIfBothKeepThem(_ preset: String, _ animation: String, _ isKept: Bool) throws
  {
    let text = "delivery: {preset: \(preset)}\nvariants: {animation: \(animation)}\n"
    let file = try KeyRangeTests.decode(text)
    #expect(file.delivery?.keepsAnimations == isKept && file.plan.keepsAnimation == isKept)
    let other = try KeyRangeTests.decode(text.replacing("}\nv", with: ", files: true}\nv"))
    #expect(other.plan.keepsAnimation == (animation == "keep"))
  }

  @Test func theSmallerLimitOfPixelsCounts() throws {
    for (limit, pixels) in [("10MP", 10_000_000), ("200MP", 150_000_000)] {
      let text = "delivery: {preset: qiniu}\nlimits: {pixels: \(limit)}\n"
      #expect(try KeyRangeTests.decode(text).limits.pixels == pixels)
    }
    // Without a word for it, crops are left to clients.
    let next = try KeyRangeTests.decode("delivery: {preset: next, base: \"https://a.b\"}\n")
    #expect(next.plan.service?.crops == false && next.delivery?.sourcePixels == nil)
    #expect(next.limits.pixels == 100_000_000)
  }
}
