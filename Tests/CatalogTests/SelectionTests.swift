import Testing

@testable import TesseraCatalog

/// A part of a catalog, as exports and screens have it.
@Suite struct SelectionTests {
  private static func image(_ id: String, alt: String? = nil) -> CatalogImage {
    let source = CatalogFixture.source(id)
    return CatalogImage(
      id: id, url: "https://example.com/\(id)", status: .ok, width: 200, height: 100,
      placeholder: CatalogPlaceholder(color: "#010203"),
      variants: [CatalogFixture.variant(20, 10, of: source)],
      slots: ["card": CatalogSlotUse(width: 20, height: 10, variants: [0, 0])], source: source,
      alt: alt, extra: .object(["n": .number(1.5)]))
  }

  /// A part of a catalog has the slots that were chosen, and no file that only others have.
  @Test func aSelectionHasItsSlotsOnly() throws {
    var image = Self.image("a")
    image.variants += [40, 80].map { CatalogFixture.variant($0, $0) }
    image.slots = [
      "card": CatalogSlotUse(width: 1, height: 1, variants: [2, 2]),
      "hero": CatalogSlotUse(width: 1, height: 1, variants: [0, 1]),
    ]
    let part = CatalogSelection(slots: ["card"]).image(image, scales: [1, 2])
    #expect(part.variants == [image.variants[2]])
    #expect(part.slots == ["card": CatalogSlotUse(width: 1, height: 1, variants: [0, 0])])
    #expect(CatalogSelection(slots: ["card", "hero"]).image(image, scales: [1, 2]) == image)
    let none = CatalogSelection(slots: ["x"])
    let empty = none.image(image, scales: [1, 2])
    #expect(empty.variants.isEmpty && empty.slots.isEmpty)
    #expect(none.head(CatalogFixture.catalog([])).slots.isEmpty)
  }
}
