import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// The limits of layout, of the choice of files, and of the sets of formats.
@Suite struct LayoutLimitTests {
  private static func image(_ width: Int?, _ height: Int?, _ files: (Int, Int)...) -> CatalogImage {
    CatalogImage(
      id: "a", status: .ok, width: width, height: height,
      variants: files.map { CatalogFixture.variant($0.0, $0.1) })
  }

  private static func size(_ width: Int?, _ height: Int?, _ box: CatalogBox) -> [Int]? {
    image(width, height).layout(in: box).map { [$0.box.width, $0.box.height] }
  }

  /// Rounded to the nearest, halves up; at least 1.
  @Test func sidesOfBoxes() {
    #expect(Self.size(3, 2, CatalogBox(width: 10, height: nil)) == [10, 7])
    #expect(Self.size(4, 2, CatalogBox(width: 5, height: nil)) == [5, 3])
    #expect(Self.size(2, 4, CatalogBox(width: nil, height: 5)) == [3, 5])
    #expect(Self.size(100, 1, CatalogBox(width: 10, height: nil)) == [10, 1])
    #expect(Self.size(1, 100, CatalogBox(width: nil, height: 10)) == [1, 10])
    #expect(Self.size(3, 2, CatalogBox(width: 2.5, height: nil)) == [3, 2])
    #expect(Self.size(3, 2, CatalogBox(width: 2.4, height: nil)) == [2, 2])
    #expect(Self.size(3, 2, CatalogBox(width: 0.1, height: 0.1, mode: .clip)) == [1, 1])
    #expect(
      Self.size(1, 1, CatalogBox(width: 1e12, height: nil)) == [100_000, 100_000])
    #expect(Self.size(1, 1, CatalogBox(width: 99_999, height: 2, mode: .clip)) == [99_999, 2])
    #expect(Self.size(.max, 1, CatalogBox(width: nil, height: 1e300)) == [100_000, 100_000])
  }

  @Test func modesOfBoxes() {
    for (width, height, fit, covering) in [
      (30, 20, [60, 40], [75, 50]), (20, 30, [33, 50], [60, 90]), (60, 50, [60, 50], [60, 50]),
    ] {
      func size(_ mode: CatalogSlot.Mode) -> [Int]? {
        Self.size(width, height, CatalogBox(width: 60, height: 50, mode: mode))
      }
      func frame(_ mode: CatalogSlot.Mode) -> [Int]? {
        Self.image(width, height).layout(in: CatalogBox(width: 60, height: 50, mode: mode)).map {
          [$0.image.width, $0.image.height]
        }
      }
      #expect(size(.fit) == fit && size(.fill) == [60, 50] && size(.clip) == [60, 50])
      #expect(frame(.fit) == fit && frame(.fill) == covering && frame(.clip) == covering)
    }
    // The default is `fit`.
    #expect(CatalogBox(width: 60, height: 50) == CatalogBox(width: 60, height: 50, mode: .fit))
    for (width, height) in [(nil, 3), (3, nil), (0, 3), (3, 0), (-3, 3), (3, -3)] as [(Int?, Int?)]
    {
      #expect(Self.size(width, height, CatalogBox(width: 60, height: nil)) == [60, 60])
      #expect(Self.image(width, height).aspectRatio == nil)
    }
    #expect(Self.size(3, 2, CatalogBox(width: nil, height: nil)) == nil)
    #expect(Self.image(3, 2).aspectRatio == 1.5)
  }

  /// A file may be half a pixel smaller than what is shown, because its sides were rounded.
  @Test func filesThatAreLargeEnough() {
    let image = Self.image(200, 100, (20, 10), (40, 20), (80, 40))
    func size(_ width: Double, _ scale: Double) -> String? {
      image.variant(for: CatalogBox(width: width, height: nil), scale: scale)?.size
    }
    #expect(size(20, 1) == "20x10" && size(21, 1) == "40x20")
    #expect(size(10, 2) == "20x10" && size(10, 2.05) == "20x10" && size(10, 2.1) == "40x20")
    // By the height, too: 21 by 11 points.
    #expect(image.variant(for: CatalogBox(width: nil, height: 10), scale: 1)?.size == "20x10")
    #expect(image.variant(for: CatalogBox(width: nil, height: 11), scale: 1)?.size == "40x20")
    #expect(size(1_000, 3) == "80x40")
    for scale in [Double.nan, .infinity, -.infinity, -1, 0] { #expect(size(20, scale) == nil) }
    for side in [Double.nan, .infinity, -.infinity, -1, 0] {
      #expect(size(side, 1) == nil && Self.size(2, 3, CatalogBox(width: 9, height: side)) == nil)
    }
    // Both sides have to be large enough.
    let crops = Self.image(200, 100, (30, 30), (10, 90), (90, 10), (50, 50))
    func crop(_ width: Double, _ height: Double) -> String? {
      crops.variant(for: CatalogBox(width: width, height: height, mode: .clip), scale: 1)?.size
    }
    #expect(crop(30, 30) == "30x30" && crop(31, 30) == "50x50" && crop(30, 31) == "50x50")
    #expect(crop(10, 31) == "10x90" && crop(31, 10) == "90x10")
  }

  // MARK: Cached files

  @Test func cachedFilesOfTheSameShape() {
    let image = Self.image(300, 200, (30, 20), (60, 40), (60, 60), (90, 60), (120, 80), (150, 100))
    func cached(_ wanted: Int, _ have: String...) -> String? {
      let wanted = image.variants[wanted]
      return image.cachedVariant(width: wanted.width, height: wanted.height) { variant in
        have.contains(variant.size) ? variant.size : nil
      }
    }
    #expect(cached(3, "90x60", "120x80") == "90x60")
    #expect(cached(3, "150x100", "120x80", "60x40") == "120x80")
    #expect(cached(3, "30x20", "60x40") == "60x40" && cached(3, "30x20") == "30x20")
    #expect(cached(3, "60x60") == nil && cached(3) == nil && cached(2, "60x40", "90x60") == nil)
  }

  /// As large as the rounding of the smaller file's shorter side allows.
  @Test func shapesAreAlikeUpToRounding() {
    func isAlike(_ one: (Int, Int), _ other: (Int, Int)) -> Bool {
      let image = Self.image(nil, nil, one, other)
      return image.cachedVariant(width: one.0, height: one.1) { $0 == image.variants[1] ? $0 : nil }
        != nil
    }
    // 10 wide and a third as high: 3.33, of which 0.5 and a tenth of the large file's rounding may
    // be missing.
    for (height, expected) in [(2, false), (3, true), (4, false)] {
      #expect(isAlike((300, 100), (10, height)) == expected, "\(height)")
      #expect(isAlike((10, height), (300, 100)) == expected, "\(height)")
      #expect(isAlike((100, 300), (height, 10)) == expected, "\(height)")
      #expect(isAlike((height, 10), (100, 300)) == expected, "\(height)")
    }
    #expect(
      isAlike((20, 10), (11, 6)) && !isAlike((20, 10), (12, 8)) && isAlike((20, 10), (21, 11)))
    #expect(!isAlike((20, 10), (0, 5)) && !isAlike((20, 10), (5, 0)) && !isAlike((0, 0), (5, 5)))
  }

  // MARK: Formats

  @Test func referencesAndFiles() {
    let both = CatalogVariant(
      width: 1, height: 1,
      files: [
        .init(format: 0, path: "p", url: "u", type: "a", bytes: 7),
        .init(format: 1, path: "q", type: "b", bytes: 8), .init(format: 2, url: "v", type: "c"),
      ], highDynamicRangeFile: .init(format: 3, path: "h", type: "x"))
    #expect(both.reference == "u" && both.files.map(\.reference) == ["u", "q", "v"])
    #expect(both.allFiles.map(\.reference) == ["u", "q", "v", "h"])
    #expect(CatalogVariant.File(format: 0, path: "p", type: "a").reference == "p")
    #expect(CatalogVariant.File(format: 0, type: "a").reference == "")
    #expect(CatalogVariant(width: 1, height: 1, files: []).reference == "")
    #expect(
      both.file(accepting: ["a", "b"])?.reference == "u"
        && both.file(accepting: ["c", "b"])?.reference == "q")
    // The file for high dynamic range is none of the others.
    #expect(both.file(accepting: ["x"]) == nil)
  }

  @Test func formatsOfSystems() {
    func names(_ types: Set<String>) -> String {
      #expect(types.isSuperset(of: SupportedTypes.everywhere))
      return types.subtracting(SupportedTypes.everywhere).sorted().map { String($0.dropFirst(6)) }
        .joined(separator: " ")
    }
    #expect(SupportedTypes.everywhere == ["image/jpeg", "image/png", "image/gif"])
    #expect(
      (10...18).map { names(SupportedTypes.iOS($0)) } == [
        "", "heic", "heic", "heic", "heic webp", "heic webp", "avif heic webp",
        "avif heic jxl webp",
        "avif heic jxl webp",
      ])
    #expect(
      (9...15).map { names(SupportedTypes.macOS($0)) } == [
        "", "heic", "heic webp", "heic webp", "avif heic webp", "avif heic jxl webp",
        "avif heic jxl webp",
      ])
    for (header, expected) in [
      ("image/avif,image/webp,*/*", "avif webp"), ("IMAGE/AVIF ; q=0.5", "avif"),
      ("image/*;q=1", ""),
      ("image/webp;q=0,image/avif; q = 0.0", ""), ("image/webp;level=1;q=0", ""), ("text/html", ""),
      ("image/webp;q=0.1\t,image/jxl;q=x", "jxl webp"),
    ] { #expect(names(SupportedTypes.accept(header)) == expected, "\(header)") }
    #expect(SupportedTypes.accept("image/png;q=0") == ["image/jpeg", "image/gif"])
  }

  // MARK: Requests ahead

  @Test func failedFilesWaitTwiceAsLongEachTime() {
    let times = [0, 1, 2, 3, 4, 5, 6, 7, 8, .max].map {
      Prefetch.Failure(count: $0, time: 10).wait(10.5)
    }
    #expect(times == [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 59.5, 59.5, 59.5])
    #expect(Prefetch.Failure(count: 3, time: nil).wait(0) == 0)
    #expect(Prefetch() == Prefetch(requests: 6, upcoming: 3))
  }

  /// Files would have relative URLs, and their views would wait indefinitely.
  @Test func aCatalogWithoutABaseIsRejected() throws {
    var catalog = CatalogFixture.catalog([])
    let message =
      "the catalog has no baseURL, so that its files have no URLs: pass the catalog's own URL as \"from\""
    func error(_ open: () throws -> CatalogIndex) -> String? {
      (#expect(throws: CatalogError.self) { try open() })?.message
    }
    #expect(error { try CatalogIndex(catalog, accepting: []) } == message)
    #expect(
      error { try CatalogIndex(reading: CatalogFixture.document([]), accepting: []) } == message)
    #expect(throws: Never.self) {
      try CatalogIndex(catalog, accepting: [], from: "https://example.com/catalog.json")
    }
    catalog.baseURL = "/img/"
    #expect(throws: Never.self) { try CatalogIndex(catalog, accepting: []) }
  }

  /// A line of a database, or of a server's answer.
  @Test func linesAreImages() throws {
    let image = CatalogImage(
      id: "a", status: .failed, slots: ["card": .init(width: nil, height: nil)])
    let index = try CatalogIndex(
      CatalogFixture.catalog([]), accepting: ["image/webp"], from: "https://example.com/c.json")
    #expect(try index.image(reading: image.json).image == image)
    #expect(throws: CatalogError.self) { try index.image(reading: Array("{}".utf8)) }
  }

  @Test func slotsThatACatalogDoesNotHave() {
    let catalog = CatalogFixture.catalog([])
    let error = #expect(throws: UnknownSlot.self) { try catalog.requireSlots("card", "q") }
    #expect(error?.description == "the catalog has no slot \"q\"; it has card")
    #expect(error?.name == "q" && error?.known == ["card"] && error?.suggestion == nil)
  }

  /// An index of a document has the same images as one of a catalog that was read from it.
  @Test func aDocumentIsIndexedWithoutReadingItWhole() throws {
    let images = (0..<3_000).map {
      "{\"id\":\"\($0 % 2_999)\",\"status\":\"pending\",\"alt\":\"\(String(repeating: "ä\\n", count: $0 % 50))\"}"
    }
    let document = CatalogFixture.document(images)
    let source = "https://example.com/catalog.json"
    let index = try CatalogIndex(reading: document, accepting: [], from: source)
    let catalog = try Catalog(reading: document)
    #expect(index.images.map(\.image) == catalog.images)
    #expect(index.images.firstIndex(of: "0") == 0 && index.images.firstIndex(of: "2998") == 2_998)
    #expect(index.image("7")?.image == catalog.images[7] && index.image("x") == nil)
    #expect(index.head.slots == catalog.slots)
    #expect(throws: CatalogError.self) {
      try CatalogIndex(reading: document.dropLast(9), accepting: [], from: source)
    }
    #expect(throws: CatalogError.self) {
      try CatalogIndex(reading: [], accepting: [], from: source)
    }
  }

  /// Of two images with the same id the first counts; ids that no image has lead nowhere.
  @Test func lookupsById() throws {
    let use = CatalogSlotUse(width: 7, height: 9, variants: [0, 1])
    var images = [Self.image(200, 100, (20, 10), (40, 20)), Self.image(1, 1), Self.image(2, 2)]
    images[0].slots = ["card": use]
    images[1].id = "b"
    let index = try CatalogIndex(
      CatalogFixture.catalog(images), accepting: ["image/webp"], from: "https://example.com/c.json")
    #expect(
      index.image("a")?.image == images[0] && index.image("b")?.image == images[1]
        && index.image("c") == nil)
    #expect(
      index.images.firstIndex(of: "a") == 0 && index.images.firstIndex(of: "b") == 1
        && index.images.firstIndex(of: "c") == nil
    )
    #expect(index.image("a")?.box(in: "card") == CatalogSize(width: 7, height: 9))
    #expect(index.image("b")?.box(in: "card") == nil)
    let box = CatalogBox(width: 30, height: nil)
    #expect(index.image("a")?.box(in: box) == CatalogSize(width: 30, height: 15))
    #expect(index.image("a")?.file(for: box, scale: 1)?.width == 40)
    #expect(
      [1, 1.1, 2, 9].map { index.image("a")?.file(for: "card", scale: $0)?.width } == [
        20, 40, 40, 40,
      ])
    #expect(index.image("b")?.file(for: "card", scale: 1) == nil)
    #expect(index.image("a")?.alt == images[0].alt && index.image("a")?.id == "a")
    #expect(index.types == ["image/webp"])
    // Indices of a document may be out of range.
    var catalog = CatalogFixture.catalog([images[0]])
    for places in [[-1, 2], [2, -1], []] {
      catalog.images[0].slots["card"]?.variants = places
      for scale in [1, 2] {
        #expect(catalog.images[0].variant(for: "card", scale: Double(scale), in: catalog) == nil)
      }
    }
    catalog.scales = []
    #expect(catalog.images[0].variant(for: "card", scale: 1, in: catalog) == nil)
  }
}
