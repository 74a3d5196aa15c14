import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// A catalog from someone who means no good: an error, or nothing drawn, and no request outside of the base.
@Suite struct HostileTests {
  private static let base = "https://example.com/feed/"

  private func index(_ image: String, head: String = CatalogFixture.head) throws -> CatalogIndex {
    try CatalogIndex(
      reading: CatalogFixture.document([image], head: head), accepting: ["image/webp"],
      from: "\(Self.base)catalog.json")
  }

  /// - Parameter variants: the members after the image's source.
  private func image(_ id: String, _ width: Int, _ height: Int, _ variants: String) -> String {
    #"{"id":"\#(id)","status":"ok","width":\#(width),"height":\#(height),"source":"\#(CatalogFixture.source("a"))",\#(variants)}"#
  }

  @Test(arguments: ["../../../etc/passwd", "<script>alert(1)</script>", "file:///a", ""])
  func namesAreNoPaths(_ id: String) throws {
    let variants =
      #""alt":"\#(id)","later":[{"x":1}],"variants":[{"width":20,"height":10,"bytes":[1]}],"slots":{"card":{"width":20,"height":10,"variants":[0,0]}}"#
    let index = try index(image(id, 20, 10, variants))
    let file = try #require(index.image(id)?.file(for: "card", scale: 1))
    #expect(file.url == Self.base + CatalogFixture.path(20, 10))
    #expect(index.image(id)?.alt == id)
  }

  @Test(arguments: [1_000_000_000, .max, .min + 1, -1, 0, 1])
  func sidesAreBounded(_ side: Int) throws {
    let variants =
      #""variants":[{"width":\#(side),"height":\#(side),"bytes":[1]}],"slots":{"card":{"width":\#(side),"height":1,"image":{"width":1,"height":\#(side)},"variants":[0,9]}}"#
    let image = try index(image("a", side, side, variants)).images[0]
    for box in [
      image.box(in: "card"), image.box(in: CatalogBox(width: 1e300, height: nil)),
      image.box(in: CatalogBox(width: nil, height: 1e-300)),
    ] {
      let size = try #require(box)
      #expect((1...100_000).contains(size.width) && (1...100_000).contains(size.height))
    }
    let frame = try #require(image.frame(in: "card"))
    #expect(frame.width >= 1 && frame.height >= 1 && frame.x <= 0 && frame.y <= 0)
    // The second place in the list of variants is none.
    #expect(image.file(for: "card", scale: 2) == nil)
  }

  @Test func manySlotsAreRead() throws {
    let slots = (0..<100_000).map { #""s\#($0)":{"mode":"fit","width":1}"# }.joined(separator: ",")
    let head = CatalogFixture.head.replacing(
      #""slots":{"#, with: #""slots":{\#(slots),"#)
    let index = try index(#"{"id":"a","status":"failed","slots":{"s7":{}}}"#, head: head)
    #expect(index.image("a")?.box(in: "s7") == CatalogSize(width: 1, height: 1))
    #expect(index.image("a")?.box(in: "s8") == nil)
  }

  @Test func otherDocumentsAreErrors() {
    for head in [
      CatalogFixture.head.replacing("tessera-catalog/1", with: "tessera-catalog/2"),
      CatalogFixture.head + #","baseURL":"javascript:alert(1)//""#,
      CatalogFixture.head.replacing(#""webp","#, with: #""../webp","#),
    ] {
      #expect(throws: CatalogError.self, "\(head)") {
        try index(#"{"id":"a","status":"failed"}"#, head: head)
      }
    }
    for source in ["../../../../../../../../../../ab", "x", ""] {
      let line = image("a", 1, 1, #""variants":[{"width":1,"height":1,"bytes":[1]}]"#)
        .replacing(CatalogFixture.source("a"), with: source)
      #expect(throws: CatalogError.self, "\(source)") { try index(line) }
    }
  }
}
