import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraTestSupport
import Testing

@testable import tessera

/// The rules of style sheets for `picture` elements.
@Suite struct PictureStyleTests {
  private static let slots: [String: CatalogSlot] = [
    "a": CatalogSlot(width: 100, height: nil, mode: .fit),
    "b": CatalogSlot(width: 101, height: 50, mode: .fit),
    "c": CatalogSlot(width: 60, height: 40, mode: .clip),
    "d": CatalogSlot(width: 30, height: 20, mode: .fill),
    "e": CatalogSlot(width: 70, height: nil, mode: .clip),
    "f": CatalogSlot(width: nil, height: 10, mode: .clip),
    "g": CatalogSlot(width: 80, height: nil, mode: .fill),
    "h": CatalogSlot(width: nil, height: 10, mode: .fit),
  ]

  private static let style = style(of: slots.keys.sorted())

  private static func style(of names: [String]) -> PictureStyle {
    PictureStyle(
      head: Catalog(
        generator: .init(name: "", version: "", libvips: ""),
        pipeline: .init(name: "", fingerprint: ""), baseURL: nil, formats: [], slots: slots,
        scales: [1], images: []), slots: names)
  }

  private static let all = "img.tessera{max-width:100%;height:auto;background-size:100% 100%}\n"

  @Test func slotsWithOneFreeSideAreFluid() {
    #expect(Self.slots.filter(\.value.isFluid).keys.sorted() == ["a", "c", "e"])
  }

  @Test func aFixedPageHasRulesForCroppedSlots() {
    let names = Self.slots.keys.sorted() + ["unknown"]
    #expect(
      Self.style(of: names).common(isFluid: false) == Self.all
        + "img.tessera-c{aspect-ratio:60/40;object-fit:cover}\n"
        + "img.tessera-d{width:30px;height:20px;object-fit:cover}\n")
  }

  @Test func aFluidPageHasRulesForExactlyTheFluidSlots() {
    let names = ["unknown"] + Self.slots.keys.sorted()
    #expect(
      Self.style(of: names).common(isFluid: true) == Self.all
        + "img.tessera-a{width:100%;max-width:100px}\n"
        + "img.tessera-c{aspect-ratio:60/40;object-fit:cover}\n"
        + "img.tessera-c{width:100%;max-width:60px}\n"
        + "img.tessera-d{width:30px;height:20px;object-fit:cover}\n"
        + "img.tessera-e{width:100%;max-width:70px}\n")
    #expect(
      Self.style(of: ["e"]).common(isFluid: true) == Self.all
        + "img.tessera-e{width:100%;max-width:70px}\n")
  }

  private static func image(
    alpha: Bool? = nil, focus: CatalogFocus? = nil, _ placeholder: CatalogPlaceholder?
  ) -> CatalogImage {
    CatalogImage(id: "p1", status: .ok, alpha: alpha, placeholder: placeholder, focus: focus)
  }

  private static let hash = "3wcKMhpwcIh3d3iHgIAH+Hg="
  private static let inline =
    CatalogPlaceholder.Kind.thumbhash(hash).pixels(CatalogSize(width: 10, height: 10))?.dataURL
    ?? ""

  @Test(
    arguments: [
      (image(nil), ""), (image(CatalogPlaceholder()), ""),
      (image(.init(color: "#1020ff")), "background-color:rgb(16,32,255)"),
      (image(alpha: false, .init(color: "#000001")), "background-color:rgb(0,0,1)"),
      (image(alpha: true, .init(color: "#1020ff")), ""), (image(.init(color: "red")), ""),
      (image(.init(thumbhash: hash)), "background-image:url(\(inline))"),
      (
        image(.init(color: "#010203", thumbhash: hash)),
        "background-color:rgb(1,2,3);background-image:url(\(inline))"
      ),
      (image(.init(thumbhash: "!")), ""),
      (image(focus: CatalogFocus(x: 0.25, y: 1), nil), "object-position:25.0% 100.0%"),
      (image(focus: CatalogFocus(x: 0.12345, y: 0.9996), nil), "object-position:12.3% 100.0%"),
      (
        image(alpha: true, focus: CatalogFocus(x: 0, y: 0.5), .init(thumbhash: hash)),
        "object-position:0.0% 50.0%"
      ),
      (
        image(focus: CatalogFocus(x: 0.1, y: 0.2), .init(color: "#ffffff", thumbhash: hash)),
        "background-color:rgb(255,255,255);background-image:url(\(inline));"
          + "object-position:10.0% 20.0%"
      ),
    ])
  func anImageHasItsPlaceholderAndItsFocus(_ image: CatalogImage, _ rules: String) {
    let name = "img.tessera-i" + SHA256.of("p1").prefix(12)
    var style = Self.style
    #expect(style.rules(for: image) == (rules.isEmpty ? "" : "\(name){\(rules)}\n"))
  }

  @Test func theRuleIsThatOfTheLibraryForTheWeb() throws {
    let path = Places.root.appending(path: "Examples/catalog/cases.json")
    let cases = try JSONParser.parse(Array(Data(contentsOf: path)))
    #expect(cases["blurRule"]?.stringValue == PictureStyle.blurRule)
  }

  /// The rule stands before the first image that needs it, once, and takes the place of an image in the rules.
  @Test func aNumberIsDrawnByOneRule() {
    var style = Self.style
    let name = "img.tessera-i" + SHA256.of("p1").prefix(12)
    let numbered = Self.image(.init(color: "#010203", thumbhash: Self.hash, css: 0xFFFFFF))
    let rule = "\(name){background-color:rgb(1,2,3);--tessera:16777215}\n"
    #expect(style.rules(for: numbered) == "\(PictureStyle.blurRule)\n\(rule)")
    #expect(style.rules(for: numbered) == rule)
    for number in [-1, 1 << 24] {
      #expect(style.rules(for: Self.image(.init(css: number))).isEmpty)
    }
    #expect(style.rules(for: Self.image(alpha: true, .init(css: 1))).isEmpty)
    #expect(PictureStyle.number(of: Self.image(.init(css: 0))) == 0)
  }

  /// An image has the catalog's size, whatever its file's is; and what an image service does not crop is cropped by the page.
  @Test func anImageHasTheShapeOfItsBox() {
    var (style, image) = (Self.style, Self.image(nil))
    let size = CatalogSize(width: 100, height: 900)
    image.slots = [
      "a": CatalogSlotUse(width: 100, height: 200, image: size, variants: []),
      "d": CatalogSlotUse(width: 30, height: 20, image: size, variants: []),
      "h": CatalogSlotUse(width: 5, height: 10, variants: []),
    ]
    let name = "img.tessera-i" + SHA256.of("p1").prefix(12)
    #expect(
      style.rules(for: image)
        == "\(name).tessera-a{aspect-ratio:100/200;object-fit:cover}\n"
        + "\(name).tessera-h{aspect-ratio:5/10}\n")
  }

  @Test func aHashIsDrawnAsAnInlineImage() throws {
    let hash = CatalogPlaceholder(color: "#010203", blurhash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj")
    let size = CatalogSize(width: 10, height: 10)
    let drawn = try #require(hash.best?.pixels(size)?.dataURL)
    #expect(PictureStyle.picture(of: hash) == drawn)
    #expect(drawn.hasPrefix("data:image/png;base64,iVBORw0KGgo"))
    let thumb = CatalogPlaceholder(thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI")
    let url = try #require(PictureStyle.picture(of: thumb))
    #expect(url == thumb.best?.pixels(size)?.dataURL && url.count < 450, "\(url.count)")
    // One that is not valid is not replaced by a poorer one.
    #expect(PictureStyle.picture(of: CatalogPlaceholder(color: "#010203", blurhash: "?")) == nil)
    #expect(PictureStyle.picture(of: CatalogPlaceholder(color: "#010203")) == nil)
    #expect(PictureStyle.picture(of: CatalogPlaceholder()) == nil)
  }

  @Test func namesOfClassesNeedNoEscapes() {
    #expect(PictureStyle.name(slot: "card") == "tessera-card")
    #expect(PictureStyle.name(slot: "a b") == "tessera-\("a b".assetName)")
    #expect(PictureStyle.name(id: "a\"b") == "tessera-i\(SHA256.of("a\"b").prefix(12))")
  }
}
