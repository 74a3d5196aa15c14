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
    image(width, height).layoutSize(in: box).map { [$0.width, $0.height] }
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
      Self.size(1, 1, CatalogBox(width: 1e12, height: nil)) == [1_000_000_000, 1_000_000_000])
    #expect(
      Self.size(1, 1, CatalogBox(width: 999_999_999, height: 2, mode: .clip)) == [999_999_999, 2])
  }

  @Test func modesOfBoxes() {
    for (width, height, fit, covering) in [
      (30, 20, [60, 40], [75, 50]), (20, 30, [33, 50], [60, 90]), (60, 50, [60, 50], [60, 50]),
    ] {
      func size(_ mode: CatalogSlot.Mode) -> [Int]? {
        Self.size(width, height, CatalogBox(width: 60, height: 50, mode: mode))
      }
      func frame(_ mode: CatalogSlot.Mode) -> [Int]? {
        Self.image(width, height).frame(in: CatalogBox(width: 60, height: 50, mode: mode)).map {
          [$0.width, $0.height]
        }
      }
      #expect(size(.fit) == fit && size(.fill) == [60, 50] && size(.clip) == [60, 50])
      #expect(frame(.fit) == fit && frame(.fill) == covering && frame(.clip) == covering)
    }
    // The default is `fit`.
    #expect(CatalogBox(width: 60, height: 50) == CatalogBox(width: 60, height: 50, mode: .fit))
    for (width, height) in [(nil, 3), (3, nil), (0, 3), (3, 0), (-3, 3), (3, -3)] as [(Int?, Int?)]
    {
      #expect(Self.size(width, height, CatalogBox(width: 60, height: 50)) == nil)
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
    for scale in [Double.nan, .infinity, -.infinity] { #expect(size(1, scale) == "80x40") }
    #expect(size(20, -1) == "20x10" && size(20, 0) == "20x10")
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
    #expect(
      [17, 18, 27, 28, 30, 31].map { names(SupportedTypes.android($0)) } == [
        "", "webp", "webp", "heic webp", "heic webp", "avif heic webp",
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

  @Test func sizesOfRequests() {
    let prefetch = Prefetch()
    #expect(prefetch.requests == 6 && prefetch.bytes == 2_000_000)
    func bytes(_ width: Int, _ height: Int, _ bytes: Int? = nil) -> Int {
      ImageFile(
        url: "p", reference: "p", type: "t", width: width, height: height, bytes: bytes
      ).expectedBytes
    }
    #expect(
      bytes(30, 20) == 150 && bytes(3, 5) == 3 && bytes(30, 20, 7) == 7 && bytes(30, 20, -7) == 0)
    #expect(
      bytes(-30, -20) == 0 && bytes(-30, 20) == 0 && bytes(30, -20) == 0
        && bytes(.max, .max) == 1_000_000_000_000)
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
    let index = try CatalogIndex(reading: document, accepting: [])
    let catalog = try Catalog(reading: document)
    #expect(index.count == 3_000 && (0..<3_000).map { index[$0].image } == catalog.images)
    #expect(index.position(of: "0") == 0 && index.position(of: "2998") == 2_998)
    #expect(index["7"]?.image == catalog.images[7] && index["x"] == nil)
    #expect(index.context.head.slots == catalog.slots)
    #expect(throws: CatalogError.self) {
      try CatalogIndex(reading: document.dropLast(9), accepting: [])
    }
    #expect(throws: CatalogError.self) { try CatalogIndex(reading: [], accepting: []) }
  }

  /// Of two images with the same id the first counts; ids that no image has lead nowhere.
  @Test func lookupsById() {
    let use = CatalogSlotUse(width: 7, height: 9, variants: [0, 1])
    var images = [Self.image(200, 100, (20, 10), (40, 20)), Self.image(1, 1), Self.image(2, 2)]
    images[0].slots = ["card": use]
    images[1].id = "b"
    let index = CatalogIndex(CatalogFixture.catalog(images), accepting: ["image/webp"])
    #expect(index["a"]?.image == images[0] && index["b"]?.image == images[1] && index["c"] == nil)
    #expect(
      index.position(of: "a") == 0 && index.position(of: "b") == 1 && index.position(of: "c") == nil
    )
    #expect(index["a"]?.layoutSize(in: "card") == CatalogSize(width: 7, height: 9))
    #expect(index["b"]?.layoutSize(in: "card") == nil)
    let box = CatalogBox(width: 30, height: nil)
    #expect(index["a"]?.layoutSize(in: box) == CatalogSize(width: 30, height: 15))
    #expect(index["a"]?.file(for: box, scale: 1)?.width == 40)
    #expect(
      [1, 1.1, 2, 9].map { index["a"]?.file(for: "card", scale: $0)?.width } == [
        20, 40, 40, 40,
      ])
    #expect(index["b"]?.file(for: "card", scale: 1) == nil)
    #expect(index["a"]?.alt == images[0].alt && index["a"]?.id == "a")
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
