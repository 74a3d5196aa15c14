import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import tessera

/// `picture` elements.
@Suite struct PictureMarkupTests {
  private static let slots: [String: CatalogSlot] = [
    "card": CatalogSlot(width: 180, height: nil, mode: .fit),
    "box": CatalogSlot(width: 60, height: 40, mode: .fill),
    "cut": CatalogSlot(width: 60, height: 60, mode: .clip),
  ]

  private static func markup(
    _ slots: [String] = ["card"], scales: [Int] = [1, 2],
    _ change: (inout ExportOptions) -> Void = { _ in }
  ) throws -> PictureMarkup {
    let folder = try TemporaryFolder()
    var options = ExportOptions()
    change(&options)
    let head = Catalog(
      generator: .init(name: "", version: "", libvips: ""),
      pipeline: .init(name: "", fingerprint: ""), baseURL: "https://cdn/", formats: [],
      slots: Self.slots, scales: scales, images: [])
    return PictureMarkup(
      ExportContext(
        place: CatalogContext(head, accepting: []), slots: slots, hasChosenSlots: false,
        options: options,
        files: try ExportedFiles(folder.path("")), worker: "", target: "", companions: [],
        companionNames: []))
  }

  /// Elements for some slots of images.
  private static func pictures(
    of images: [CatalogImage], _ slots: [String] = ["card"], scales: [Int] = [1, 2],
    _ change: (inout ExportOptions) -> Void = { _ in }
  ) throws -> [String] {
    var markup = try markup(slots, scales: scales, change)
    return images.flatMap { image in
      markup.pictures(of: image).map { picture in
        #expect(picture.text.contains("data-slot=\"\(picture.slot)\""))
        return picture.text
      }
    }
  }

  /// A variant `3x4.webp`, with other formats of it.
  private static func variant(_ width: Int, _ height: Int, _ types: String...) -> CatalogVariant {
    variant(width, height, types)
  }

  /// - Parameter crop: whether it shows only a part of the image.
  private static func variant(
    _ width: Int, _ height: Int, _ types: [String], crop: Bool = false
  ) -> CatalogVariant {
    CatalogVariant(
      width: width, height: height, crop: crop ? "00000000" : nil,
      files: types.enumerated().map {
        .init(
          format: $0, path: "\(width)x\(height).\($1)", type: "image/\($1)", bytes: 1)
      })
  }

  private static func image(
    _ variants: [CatalogVariant], _ uses: [String: [Int]] = ["card": [0, 1]], id: String = "p1",
    alt: String? = nil, box: CatalogSize = CatalogSize(width: 180, height: 240)
  ) -> CatalogImage {
    var slots = uses.mapValues { CatalogSlotUse(width: 180, height: 240, variants: $0) }
    if let use = uses["box"] {
      slots["box"] = CatalogSlotUse(
        width: box.width, height: box.height, image: CatalogSize(width: 180, height: 240),
        variants: use)
    }
    return CatalogImage(
      id: id, status: .ok, width: 720, height: 960, variants: variants, slots: slots, alt: alt)
  }

  /// The `img` of an element in the slot "card".
  private static func element(
    _ id: String, slot: String = "card", _ files: String, size: String = "180 240",
    sizes: String = "", alt: String = "", loading: String = "loading=\"lazy\""
  ) -> String {
    let sides = size.split(separator: " ")
    let first = files.prefix { $0 != " " }
    return "<img class=\"tessera tessera-\(slot) tessera-i\(SHA256.of(id).prefix(12))\""
      + " src=\"\(first)\" srcset=\"\(files)\"\(sizes) width=\"\(sides[0])\" height=\"\(sides[1])\""
      + " alt=\"\(alt)\" \(loading) decoding=\"async\">"
  }

  @Test func eachFormatButTheLastIsASource() throws {
    let image = Self.image([
      Self.variant(180, 240, "avif", "webp", "jpeg"),
      Self.variant(360, 480, "avif", "webp", "jpeg"),
    ])
    #expect(
      try Self.pictures(of: [image]) == [
        "<picture data-id=\"p1\" data-slot=\"card\">"
          + "<source type=\"image/avif\" srcset=\"https://cdn/180x240.avif 1x, "
          + "https://cdn/360x480.avif 2x\">"
          + "<source type=\"image/webp\" srcset=\"https://cdn/180x240.webp 1x, "
          + "https://cdn/360x480.webp 2x\">"
          + Self.element("p1", "https://cdn/180x240.jpeg 1x, https://cdn/360x480.jpeg 2x")
          + "</picture>"
      ])
    // With one format there is no choice; a file that serves both scales is listed once.
    let plain = Self.image([Self.variant(180, 240, "webp")], ["card": [0, 0]], alt: "A \"b\" & c")
    #expect(
      try Self.pictures(of: [plain]) == [
        "<picture data-id=\"p1\" data-slot=\"card\">"
          + Self.element(
            "p1", "https://cdn/180x240.webp 1x",
            alt: "A &quot;b&quot; &amp; c") + "</picture>"
      ])
  }

  /// Of sizes that were made in other formats than the first.
  @Test(
    arguments: [
      (["webp", "jpeg"], ["jpeg"], ["webp: webp jpeg"]),
      (["webp", "png"], ["png"], ["webp: webp png"]),
      (["webp", "gif"], ["gif"], ["webp: webp gif"]),
      (["jpeg"], ["webp", "jpeg"], ["webp: jpeg webp"]),
      // A browser without AVIF would get it: what not every browser shows takes no place.
      (["avif", "webp"], ["webp"], []), (["webp", "avif"], ["avif"], []),
      (["webp", "jpeg"], ["avif", "webp", "jpeg"], ["avif: jpeg avif", "webp: webp webp"]),
      (["avif", "jpeg"], ["webp", "jpeg"], ["avif: avif jpeg", "webp: jpeg webp"]),
    ] as [([String], [String], [String])])
  func aSourceHasAFileForEachScale(
    _ small: [String], _ large: [String], _ sources: [String]
  ) throws {
    let image = Self.image([Self.variant(1, 1, small), Self.variant(2, 2, large)])
    let picture = try Self.pictures(of: [image])[0]
    let found = picture.matches(
      of:
        /<source type="image\/(\w+)" srcset="https:\/\/cdn\/1x1\.(\w+) 1x, https:\/\/cdn\/2x2\.(\w+) 2x">/
    ).map { "\($0.output.1): \($0.output.2) \($0.output.3)" }
    #expect(found == sources)
    #expect(picture.components(separatedBy: "<source").count == sources.count + 1)
    #expect(picture.contains("1x1.\(small.last!) 1x, https://cdn/2x2.\(large.last!) 2x\" width"))
  }

  /// Of three images with two slots each, and one without files.
  @Test(arguments: [0, 1, 2, 3, 4])
  func theFirstImagesAreLoadedAtOnce(_ eager: Int) throws {
    let images = ["a", "none", "b", "c"].map { id in
      Self.image(
        [Self.variant(6, 8, "png")], id == "none" ? [:] : ["card": [0, 0], "cut": [0]], id: id)
    }
    let pictures = try Self.pictures(of: images, ["card", "cut"]) { $0.eager = eager }
    #expect(
      pictures.map { $0.contains(" loading=\"eager\" fetchpriority=\"high\" decoding=\"async\">") }
        == (0..<6).map { $0 / 2 < eager })
    #expect(
      pictures.map { $0.contains(" loading=\"lazy\" decoding=\"async\">") }
        == (0..<6).map { $0 / 2 >= eager })
  }

  @Test func aSlotThatIsCoveredHasItsOwnSize() throws {
    let image = Self.image(
      [Self.variant(60, 80, "png"), Self.variant(90, 90, "png")], ["box": [0, 0], "cut": [1, 1]],
      box: CatalogSize(width: 60, height: 40))
    let pictures = try Self.pictures(of: [image], ["box", "cut", "card", "unknown"])
    #expect(
      pictures == [
        "<picture data-id=\"p1\" data-slot=\"box\">"
          + Self.element(
            "p1", slot: "box", "https://cdn/60x80.png 1x", size: "60 40")
          + "</picture>",
        "<picture data-id=\"p1\" data-slot=\"cut\">"
          + Self.element("p1", slot: "cut", "https://cdn/90x90.png 1x")
          + "</picture>",
      ])
    // Without any file there is no element.
    #expect(
      try Self.pictures(of: [Self.image([], ["box": [], "card": [0]])], ["box", "card"]) == [])
  }

  @Test func aFluidImageHasFilesOfEachWidth() throws {
    let variants = [
      Self.variant(90, 90, ["png"], crop: true), Self.variant(180, 240, "png"),
      Self.variant(45, 60, "png"), Self.variant(360, 480, "png"), Self.variant(180, 240, "jpeg"),
    ]
    let image = Self.image(
      variants, ["card": [1, 3], "cut": [3, 0], "box": [1, 3]],
      box: CatalogSize(width: 60, height: 40))
    func picture(_ slot: String, _ files: [String], _ size: String, width: Int?) -> String {
      let sizes = width.map { " sizes=\"auto, (max-width: \($0)px) 100vw, \($0)px\"" } ?? ""
      let list = files.map { "https://cdn/\($0)" }.joined(separator: ", ")
      return "<picture data-id=\"p1\" data-slot=\"\(slot)\">"
        + Self.element("p1", slot: slot, list, size: size, sizes: sizes) + "</picture>"
    }
    #expect(
      try Self.pictures(of: [image], ["card", "cut", "box"]) { $0.isFluid = true } == [
        // All that show the whole image, each width once.
        picture(
          "card", ["45x60.png 45w", "180x240.png 180w", "360x480.png 360w"], "180 240", width: 180),
        // Its own, which are cropped.
        picture("cut", ["90x90.png 90w", "360x480.png 360w"], "180 240", width: 180),
        picture("box", ["180x240.png 1x", "360x480.png 2x"], "60 40", width: nil),
      ])
    // Where no file shows the whole image, the slot's own files remain.
    let cropped = Self.image([variants[0]], ["card": [0, 0]])
    #expect(
      try Self.pictures(of: [cropped]) { $0.isFluid = true } == [
        picture("card", ["90x90.png 90w"], "180 240", width: 180)
      ])
    let unused = Self.image(variants, ["card": []])
    #expect(try Self.pictures(of: [unused]) { $0.isFluid = true } == [])
    // A source has the sizes, too.
    let two = Self.image([Self.variant(180, 240, "webp", "png")], ["card": [0, 0]])
    #expect(
      try Self.pictures(of: [two]) { $0.isFluid = true }[0].contains(
        "srcset=\"https://cdn/180x240.webp 180w\" sizes=\"auto, (max-width: 180px) 100vw, 180px\"><img"
      ))
    // What is loaded at once has no layout to take its width from.
    #expect(
      try Self.pictures(of: [two]) { ($0.isFluid, $0.eager) = (true, 1) }[0].contains(
        "180w\" sizes=\"(max-width: 180px) 100vw, 180px\"><img"))
    // Of an image beyond the bounds of its slot the slot's files are offered.
    var bounded = image
    for place in [1, 3] { bounded.variants[place].crop = "00000000" }
    #expect(
      try Self.pictures(of: [bounded]) { $0.isFluid = true } == [
        picture("card", ["180x240.png 180w", "360x480.png 360w"], "180 240", width: 180)
      ])
  }

  /// Browsers take the first file whose scale is at least their own, or else the nearest one.
  @Test(arguments: [
    ([0, 0, 1], "1x1.png 2x, 2x2.png 3x"), ([0, 1, 1], "1x1.png 1x, 2x2.png 2x"),
    ([0, 1, 2], "1x1.png 1x, 2x2.png 2x, 3x3.png 3x"), ([2, 2, 2], "3x3.png 1x"),
    ([2, 0, 2], "3x3.png 3x, 1x1.png 2x"),
  ])
  func eachFileIsListedOnce(_ uses: [Int], _ expected: String) throws {
    let variants = [1, 2, 3].map { Self.variant($0, $0, "png") }
    let picture = try Self.pictures(
      of: [Self.image(variants, ["card": uses])], scales: [1, 2, 3])[0]
    let list = try #require(picture.firstMatch(of: /srcset="([^"]*)"/)?.output.1)
    #expect(list.replacing("https://cdn/", with: "") == expected)
  }

  @Test func whoAsksForLessDataGetsTheSmallestFiles() throws {
    let image = Self.image([
      Self.variant(180, 240, "avif", "webp"), Self.variant(360, 480, "avif", "webp"),
    ])
    let picture = try Self.pictures(of: [image]) { $0.reducesData = true }[0]
    #expect(
      picture.hasPrefix(
        "<picture data-id=\"p1\" data-slot=\"card\">"
          + "<source media=\"(prefers-reduced-data: reduce)\" type=\"image/avif\""
          + " srcset=\"https://cdn/180x240.avif\">"
          + "<source media=\"(prefers-reduced-data: reduce)\" type=\"image/webp\""
          + " srcset=\"https://cdn/180x240.webp\"><source type=\"image/avif\""))
    #expect(try !Self.pictures(of: [image])[0].contains("reduced"))
  }

  @Test func theFirstImagesArePreloaded() throws {
    let formats = Self.image([
      Self.variant(180, 240, "avif", "webp"), Self.variant(360, 480, "avif", "webp"),
    ])
    let plain = Self.image([Self.variant(6, 8, "png")], ["card": [0, 0]], id: "p2")
    var markup = try Self.markup { ($0.eager, $0.isFluid) = (2, true) }
    #expect(markup.preloads(of: Self.image([], [:])).isEmpty)
    #expect(
      markup.preloads(of: formats) == [
        "<link rel=\"preload\" as=\"image\" type=\"image/avif\" imagesrcset=\"https://cdn/180x240.avif 180w, "
          + "https://cdn/360x480.avif 360w\" imagesizes=\"(max-width: 180px) 100vw, 180px\" fetchpriority=\"high\">"
      ])
    #expect(markup.isEager)
    #expect(
      markup.preloads(of: plain)[0].hasPrefix(
        "<link rel=\"preload\" as=\"image\" type=\"image/png\" imagesrcset=\"https://cdn/6x8.png 6w\""
      ))
    #expect(!markup.isEager)
  }

  /// HTML, section 13.1.4: controls are not allowed, apart from white space; section 13.1.2.3: what ends a value.
  @Test func charactersWithAMeaningAreEscaped() {
    for number in UInt32(0)...0xA1 {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let isControl = number < 0x20 || (0x7F...0x9F).contains(number)
      let expected =
        switch scalar {
        case "&": "&amp;"
        case "\"": "&quot;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\r": "&#13;"
        case "\t", "\n", "\u{C}": String(scalar)
        default: isControl ? "\u{FFFD}" : String(scalar)
        }
      #expect("a\(Character(scalar))b".escapedHTML == "a\(expected)b", "\(number)")
    }
    #expect("\u{1F600}é<\r\n".escapedHTML == "\u{1F600}é&lt;&#13;\n")
  }

  /// HTML, section 4.8.4.2.1.
  @Test(arguments: [
    ("https://a/b.png", "https://a/b.png"), ("a b  c", "a%20b%20%20c"), ("a,b", "a,b"),
    (",a", "%2Ca"), ("a,", "a%2C"), (",,a,b,,,", "%2C%2Ca,b%2C%2C%2C"), ("", ""),
    (" ,a, ", "%20,a,%20"),
  ])
  func blanksAndOuterCommasOfURLsAreEncoded(_ url: String, _ encoded: String) {
    #expect(url.sourceSetURL == encoded)
  }

  @Test func namesAreEscapedInTheElement() throws {
    var image = Self.image([Self.variant(1, 1, "png")], ["card": [0, 0]], id: "<\"&>")
    image.variants[0].files[0].path = nil
    image.variants[0].files[0].url = "https://img/a b?c&d,"
    #expect(
      try Self.pictures(of: [image]) == [
        "<picture data-id=\"&lt;&quot;&amp;&gt;\" data-slot=\"card\">"
          + Self.element(
            "<\"&>", "https://img/a%20b?c&amp;d%2C 1x"
          ).replacing(
            "src=\"https://img/a%20b?c&amp;d%2C\"", with: "src=\"https://img/a b?c&amp;d,\"")
          + "</picture>"
      ])
  }
}
