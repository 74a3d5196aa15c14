import TesseraPlan
import Testing

@testable import TesseraTranscode

/// Files as libheif writes them (ISO/IEC 23008-12), and the same without an item.
@Suite struct HEIFContainerTests {
  private struct Item {
    var id: Int
    var type: String
    var bytes: [UInt8]
    /// Whether the offset is in the extent, not in the base.
    var isInExtent = false
    /// Whether it lies in the meta box, as what an image of odd sides is made of: its offset is from there.
    var isInMeta = false
    var information: [UInt8] { box("infe", [2, 0, 0, 0] + big(id, 2) + [0, 0] + type.utf8) }
  }

  private static let image = Item(id: 1, type: "av01", bytes: [1, 2, 3, 4, 5])
  private static let exif = Item(id: 0x102, type: "Exif", bytes: [0, 0, 0, 0, 77, 77])
  private static let alpha = Item(id: 2, type: "av01", bytes: [6, 7, 8])

  /// - Parameters:
  ///   - references: their boxes; nil for none.
  ///   - moved: added to the offset of each item.
  private func file(
    _ items: [Item], references: [UInt8]?, version: UInt8 = 0, moved: Int = 0, locations: UInt8 = 0
  ) -> [UInt8] {
    let type = box("ftyp", Array("avif".utf8))
    let first = box("mdat", [99, 99])
    func meta(_ start: Int) -> [UInt8] {
      var offset = start
      let rows = items.flatMap { item -> [UInt8] in
        defer { if !item.isInMeta { offset += item.bytes.count } }
        let (base, extent) = item.isInMeta ? (3, 0) : item.isInExtent ? (0, offset) : (offset, 0)
        let method: [UInt8] = locations == 0 ? [] : [0, item.isInMeta ? 1 : 0]
        return big(item.id, 2) + method + [0, 0] + big(base, 4) + [0, 1] + big(extent, 4)
          + big(item.bytes.count, 4)
      }
      // One entry of an older version, without a type.
      let old = box("infe", [0, 0, 0, 0, 0, 9, 0, 0])
      return box(
        "meta",
        [0, 0, 0, 0] + box("hdlr", [5])
          + box(
            "iinf",
            [version, 0, 0, 0] + big(items.count + 1, 2) + old + items.flatMap(\.information))
          + box("iloc", [locations, 0, 0, 0, 0x44, 0x40] + big(items.count, 2) + rows)
          + (references.map { box("iref", [0, 0, 0, 0] + $0) } ?? []) + box("iprp", [4, 2]))
    }
    let before = type.count + meta(0).count + first.count + 8
    return type + meta(before + moved) + first
      + box("mdat", items.filter { !$0.isInMeta }.flatMap(\.bytes))
      + box("free", [1])
  }

  private let toImage = box("cdsc", [1, 2, 0, 1, 0, 1])
  private let ofAlpha = box("auxl", [0, 2, 0, 1, 0, 1])

  @Test(arguments: [0, 1, 2])
  func theExifItemIsRemovedAndTheOthersMove(_ place: Int) {
    var items = [Self.image, Self.alpha]
    let expected = file(items, references: ofAlpha)
    items.insert(Self.exif, at: place)
    let whole = file(items, references: toImage + ofAlpha)
    #expect(HEIFContainer.clean(whole, keeping: .icc) == expected)
    #expect(HEIFContainer.clean(whole, keeping: .exif) == whole)
  }

  @Test func anOffsetMayBeInTheExtent() {
    var items = [Self.image, Self.exif, Self.alpha]
    items[1].isInExtent = true
    let whole = file(items, references: ofAlpha)
    #expect(
      HEIFContainer.clean(whole, keeping: .icc)
        == file([items[0], items[2]], references: ofAlpha))
  }

  /// As libheif 1.15 writes images of odd sides: a grid of one tile that is larger. Newer ones have a clean aperture.
  @Test(arguments: [0, 1, 2]) func itemsInTheMetaBoxStay(_ place: Int) {
    var items = [Self.image, Item(id: 3, type: "grid", bytes: [9, 9], isInMeta: true)]
    let expected = file(items, references: ofAlpha, locations: 1)
    items.insert(Self.exif, at: place)
    let whole = file(items, references: toImage + ofAlpha, locations: 1)
    #expect(HEIFContainer.clean(whole, keeping: .icc) == expected)
    #expect(HEIFContainer.clean(file(items, references: nil, locations: 2), keeping: .icc) == nil)
    items[place].isInMeta = true
    #expect(HEIFContainer.clean(file(items, references: nil, locations: 1), keeping: .icc) == nil)
  }

  @Test func aListOfReferencesIsRemovedWithItsLastOne() {
    let whole = file([Self.image, Self.exif], references: toImage)
    let expected = file([Self.image], references: nil)
    #expect(HEIFContainer.clean(whole, keeping: .icc) == expected)
    let bare = file([Self.image, Self.exif], references: nil)
    #expect(HEIFContainer.clean(bare, keeping: .icc) == expected)
  }

  @Test func aFileWithoutExifStaysAsItIs() {
    let whole = file([Self.image, Self.alpha], references: ofAlpha)
    #expect(HEIFContainer.clean(whole, keeping: []) == whole)
  }

  @Test func otherStructuresAreRejected() {
    let items = [Self.image, Self.exif]
    let whole = file(items, references: toImage)
    func clean(_ bytes: [UInt8]) -> [UInt8]? { HEIFContainer.clean(bytes, keeping: .icc) }
    #expect(clean(whole) != nil)
    #expect(clean(Array(whole.dropLast())) == nil)
    #expect(clean(file(items, references: toImage, version: 1)) == nil)
    for name in ["meta", "iloc", "mdat"] {
      #expect(clean(whole.replacing(Array(name.utf8), with: Array("none".utf8))) == nil)
    }
    // A list of references in another version.
    let references = box("iref", [0, 0, 0, 0] + toImage)
    let other = box("iref", [1, 0, 0, 0] + toImage)
    #expect(clean(whole.replacing(references, with: other)) == nil)
    for count in 3...4 {
      #expect(clean(box("meta", [UInt8](repeating: 0, count: count))) == nil)
    }
  }

  @Test func anItemOutsideTheDataIsRejected() {
    // The Exif item at the start of the data, or at its end.
    for (items, outside) in [([Self.exif, Self.image], -1), ([Self.image, Self.exif], 1)] {
      func clean(_ moved: Int) -> [UInt8]? {
        HEIFContainer.clean(file(items, references: nil, moved: moved), keeping: .icc)
      }
      #expect(clean(0) != nil)
      #expect(clean(outside) == nil)
    }
  }
}
