import TesseraBytes
import TesseraCatalog
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// Which images a file of a table has, and where.
@Suite struct TablePartTests {
  typealias Entry = StateStore.TableEntry

  private static func entry(
    _ id: String, _ width: Int = 10, _ height: Int = 20, bytes: Int = 100
  ) -> Entry {
    Entry(
      hash: TablePlace.hash(of: id), id: id, path: "variants/\(id).webp", type: "image/webp",
      width: width, height: height, bytes: bytes)
  }

  private static func part(
    _ pixels: TablePixels, _ entries: [Entry] = [entry("a")],
    _ change: (inout PlanSettings) -> Void = { _ in }
  ) -> TablePart {
    var plan = PipelineFile.example().plan
    change(&plan)
    return TablePart(pixels, .all, entries, plan)
  }

  // MARK: Atlases

  /// Cells are whole macroblocks of 16 pixels, nearly a square, and within 2,048 pixels.
  @Test(arguments: [
    // count, cell, columns, size
    (1, (16, 16), 1, (16, 16)), (4, (16, 16), 2, (32, 32)), (5, (16, 16), 3, (48, 32)),
    (9, (16, 16), 3, (48, 48)), (10, (16, 16), 4, (64, 48)), (2, (17, 1), 1, (32, 32)),
    (2, (1, 17), 2, (32, 32)), (8, (32, 16), 2, (64, 64)), (8, (16, 32), 4, (64, 64)),
    (3, (1_024, 1_024), 2, (2_048, 2_048)), (4, (1_024, 1_024), 2, (2_048, 2_048)),
    (2, (2_048, 16), 1, (2_048, 32)), (130, (16, 1_024), 92, (1_472, 2_048)),
    (100, (16, 1_040), 100, (1_600, 1_040)), (128, (1_040, 16), 1, (1_040, 2_048)),
    (7, (16, 2_048), 7, (112, 2_048)), (0, (16, 16), 1, (16, 0)),
  ])
  func imagesAreInCellsRowByRow(
    _ count: Int, _ cell: (Int, Int), _ columns: Int, _ size: (Int, Int)
  ) {
    let grid = AtlasGrid(count: count, width: cell.0, height: cell.1)
    #expect((grid.columns, grid.size) == (columns, Size(size.0, size.1)))
    let (width, height) = ((cell.0 + 15) / 16 * 16, (cell.1 + 15) / 16 * 16)
    for position in 0..<count {
      let (x, y) = grid.origin(of: position)
      #expect((x, y) == (position % columns * width, position / columns * height))
      #expect(x + width <= grid.size.width && y + height <= grid.size.height)
    }
  }

  @Test(arguments: [
    ((16, 16), 128 * 128), ((17, 16), 64 * 128), ((1_024, 1_024), 4), ((1_025, 16), 128),
    ((2_048, 2_048), 1), ((4_000, 16), 128), ((16, 4_000), 128), ((4_000, 4_000), 1),
  ])
  func anAtlasHasRoomForAsManyCells(_ cell: (Int, Int), _ capacity: Int) {
    #expect(AtlasGrid.capacity(width: cell.0, height: cell.1) == capacity)
    guard capacity < 2_000 else { return }
    expectMost(capacity) { count in
      TablePart.fits(.init(count: count, width: cell.0, height: cell.1), .webp)
    }
  }

  @Test func aFileHasAtMostTwoThousandImages() {
    for pixels in TablePixels.allCases {
      expectMost(2_000) { TablePart.fits(.init(count: $0, width: 16, height: 16), pixels) }
    }
    // The room of an atlas does not count for pixels.
    #expect(TablePart.fits(.init(count: 2_000, width: 1_024, height: 1_024), .rgb565))
  }

  // MARK: Parts

  @Test func aCellHoldsTheLargestImage() {
    let part = Self.part(.rgb565, [Self.entry("a", 10, 40), Self.entry("b", 30, 20)])
    #expect((part.width, part.height) == (30, 40))
    #expect(part.geometry == TableGeometry(.rgb565, width: 30, height: 40))
    let empty = Self.part(.bgra8, [])
    #expect((empty.width, empty.height) == (0, 0))
    #expect(empty.geometry == nil)
  }

  private static func key(_ lines: String...) -> String {
    RecordKey.of(lines.joined(separator: "\n"))
  }

  @Test func theKeyHasEverythingThatShapesTheFile() {
    let versions = "recipes \(Recipes.common)"
    let (one, two) = (Self.entry("a"), Self.entry("b"))
    let lines = [one, two].map { "\($0.hash) \($0.path)" }
    for (pixels, settings) in [
      (TablePixels.bgra8, ""), (.rgba8, ""), (.rgb565, "background #ffffff"),
      (.grey8, "background #ffffff"),
    ] {
      #expect(
        Self.part(pixels, [one, two]).key
          == Self.key("table \(pixels.rawValue) \(settings)", versions, lines[0], lines[1]))
    }
    // Clients find an image of an atlas by its id.
    #expect(
      Self.part(.webp, [one]).key
        == Self.key("table webp quality 80 effort 4", versions, lines[0] + " a"))
    let changed = Self.part(.webp, [one]) {
      ($0.quality[.webp], $0.effort[.webp]) = (55, 6)
    }
    #expect(
      changed.key
        == Self.key("table webp quality 55 effort 6", versions, lines[0] + " a"))
    // Qualities and efforts that are found for each source are the usual ones here.
    let automatic = Self.part(.webp) { ($0.quality[.webp], $0.effort[.webp]) = (nil, nil) }
    #expect((automatic.quality, automatic.effort) == (80, 4))
    let dark = Self.part(.grey8) { $0.background = Colour(red: 1, green: 2, blue: 3) }
    #expect(dark.background.hexadecimal == "#010203")
  }

  @Test func aMadeTableIsDescribed() throws {
    let file = VariantRecord(path: "tables/x", width: 3, height: 4, bytes: 5, sha256: "s")
    var index = file
    index.path = "tables/i"
    let prefix = TablePrefix.all.halves[1]
    #expect(
      MadeTable(file: file).described(prefix, count: 2)
        == .init(
          path: "tables/x", prefix: "1", width: 3, height: 4, count: 2, bytes: 5, sha256: "s"))
    #expect(
      MadeTable(file: file, index: index).described(.all, count: 2)
        == .init(
          path: "tables/x", prefix: "", width: 3, height: 4, count: 2, bytes: 5, sha256: "s",
          index: "tables/i"))
  }

  // MARK: Jobs

  @Test func aJobHasABoundedResultSourceAndNumber() {
    func batches(_ entries: [Entry], entryBytes: Int = 1) -> [Range<Int>] {
      TableWorkers.batches(entries, entryBytes: entryBytes)
    }
    #expect(batches([]) == [])
    let small = (0..<600).map { Self.entry("\($0)") }
    #expect(batches(small) == [0..<256, 256..<512, 512..<600])
    // Of the result: 8 MiB.
    expectMost((8 << 20) / 4) { batches(Array(small.prefix(4)), entryBytes: $0).count == 1 }
    #expect(batches(Array(small.prefix(5)), entryBytes: 4 << 20) == [0..<2, 2..<4, 4..<5])
    // Of the source: 8 MiB. An image that is larger has a job of its own.
    expectMost(4 << 20) { bytes in
      batches([Self.entry("a", bytes: bytes), Self.entry("b", bytes: 4 << 20)]).count == 1
    }
    let mixed = [9, 1, 6, 1, 2, 9].map { Self.entry("x", bytes: $0 << 20) }
    #expect(batches(mixed) == [0..<1, 1..<4, 4..<5, 5..<6])
  }

  // MARK: Places

  @Test func placesAreNumberedThroughAllTables() {
    var file = PipelineFile.example()
    file.plan.scales = [1, 2, 3]
    file.tables = [
      .init(slot: "card", scales: [1, 3], pixels: [.bgra8]),
      .init(slot: "hero", scales: [2, 5], pixels: [.webp, .rgb565]),
    ]
    let places = TablePlace.all(of: file)
    #expect(places.map(\.number) == [0, 1, 2])
    #expect(places.map(\.slot) == ["card", "card", "hero"])
    #expect(places.map(\.scale) == [1, 3, 2])
    #expect(places.map(\.pixels) == [[.bgra8], [.bgra8], [.webp, .rgb565]])
    // An image has the variant of the place's scale.
    let image = Self.image([2, 1, 0])
    let widths = places.map { $0.entry(image, hash: "h")?.width }
    #expect(widths == [30, 10, nil])
  }

  private static func image(
    _ card: [Int], variants: [CatalogVariant] = [10, 20, 30].map { variant($0) }
  ) -> CatalogImage {
    CatalogImage(
      id: "a", status: .ok, variants: variants,
      slots: ["card": CatalogSlotUse(width: 1, height: 1, variants: card)])
  }

  private static func variant(_ width: Int, height: Int = 7, bytes: Int = 5) -> CatalogVariant {
    CatalogVariant(
      width: width, height: height,
      files: [.init(format: 0, path: "p\(width)", type: "image/webp", bytes: bytes)])
  }

  @Test func aLineAddsItsFileToATable() {
    var file = PipelineFile.example()
    file.tables = [.init(slot: "card", scales: [2], pixels: [.bgra8])]
    let place = TablePlace.all(of: file)[0]
    func entry(_ card: [Int], _ variant: CatalogVariant) -> Entry? {
      place.entry(Self.image(card, variants: [variant]), hash: "h")
    }
    #expect(
      entry([1, 0], Self.variant(10))
        == Entry(
          hash: "h", id: "a", path: "p10", type: "image/webp", width: 10, height: 7, bytes: 5))
    let delivered = CatalogVariant(
      width: 1, height: 1, files: [.init(format: 0, url: "u", type: "image/webp")])
    for (card, variant) in [
      ([1, 1], Self.variant(10)), ([0], Self.variant(10)), ([0, -1], Self.variant(10)),
      ([], Self.variant(10)), ([0, 0], Self.variant(10, bytes: 0)), ([0, 0], delivered),
    ] {
      #expect(entry(card, variant) == nil, "\(card) \(variant)")
    }
    for isWide in [true, false] {
      expectMost(1_024) { side in
        let variant = Self.variant(isWide ? side : 1, height: isWide ? 1 : side)
        return entry([0, 0], variant) != nil
      }
    }
  }

  @Test func hashesAreThoseOfIds() {
    let hash = TablePlace.hash(of: "a")
    #expect(hash == SHA256.of("a").prefix(32))
    #expect(TablePlace.bytes(of: hash) == TableHash.of("a"))
    #expect(TablePlace.bytes(of: "00097f9aafff10") == [0, 9, 0x7F, 0x9A, 0xAF, 0xFF, 0x10])
  }
}
