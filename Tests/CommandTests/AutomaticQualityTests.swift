import Foundation
import TesseraCatalog
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// `quality: auto`: a quality is found for each image, once, and all its files have it.
@Suite struct AutomaticQualityRunTests {
  private static let names = ["noise.png", "transparent.png", "animated.webp"]
  private static let small = "slots: {card: {size: 60x}}\nscales: [1, 2]"
  private static let large = "slots: {card: {size: 60x}, hero: {size: 120x}}\nscales: [1, 2]"

  private static func fixture(
    _ variants: String = "{format: [webp, jpeg], quality: auto}", slots: String = small,
    names: [String] = names
  ) async throws -> RunFixture {
    let fixture = try RunFixture(manifest: "", keys: keys(variants), slots: slots)
    // Detail at several scales, as photographs have.
    try await draw(
      "gaussnoise", "fine.v", "360", "480", "--seed", "1", "--sigma", "12", "--mean", "60",
      in: fixture)
    try await draw(
      "gaussnoise", "coarse.v", "90", "120", "--seed", "2", "--sigma", "40", "--mean", "60",
      in: fixture)
    try await draw("resize", "coarse.v", "large.v", "4", in: fixture)
    try await draw("add", "fine.v", "large.v", "sum.v", in: fixture)
    try await draw("cast", "sum.v", "noise.v", "uchar", in: fixture)
    try await draw("copy", "noise.v", "noise.png", in: fixture)
    let manifest = names.map { name in
      let path =
        name == "noise.png" ? fixture.folder.path(name) : Places.fixture(name).path
      return #"{"id":"\#(name)","url":"file://\#(path)"}"#
    }
    try fixture.folder.write(manifest.joined(separator: "\n"), to: "manifest")
    return fixture
  }

  private static func draw(_ operation: String, _ words: String..., in fixture: RunFixture)
    async throws
  {
    let words = words.map { word in
      word.hasSuffix(".v") || word.hasSuffix(".png") ? fixture.folder.path(word) : word
    }
    let result = try await Tool.run("/usr/bin/vips", [operation] + words)
    #expect(result.status == 0, "\(result.errors)")
  }

  private static func keys(_ variants: String) -> String {
    """
    fetch: {allow: ["files:/"]}
    variants: \(variants)
    catalog: {profile: full}
    """
  }

  /// Rows of the state: quality, run and recipe.
  private static func found(_ fixture: RunFixture) async throws -> [String] {
    let script = """
      import sqlite3, sys
      for row in sqlite3.connect(sys.argv[1]).execute(
        "SELECT quality, run, recipe FROM qualities ORDER BY recipe, quality"): print(*row)
      """
    let path = fixture.folder.path("out/.tessera/state.sqlite")
    let output = try await Tool.run("/usr/bin/python3", ["-c", script, path]).output
    return output.split(separator: "\n").map(String.init)
  }

  @Test func filesAreThoseOfTheQualityThatIsFound() async throws {
    let fixture = try await Self.fixture()
    #expect(try await fixture.run().status == 0)
    let images = try fixture.catalog.images
    for image in images {
      for variant in image.variants {
        // The animation keeps the default quality; its first frame, as JPEG, is a still image.
        #expect((variant.quality == nil) == (image.id == "animated.webp"), "\(variant)")
        let other = try #require(variant.also.first)
        for file in [variant.files[0], other] {
          #expect((file.quality == nil) == (file.score == nil))
          if let quality = file.quality { #expect((40...92).contains(quality)) }
        }
      }
      #expect(Set(image.variants.map(\.quality)).count == 1, "one quality for all sizes")
    }
    #expect(images[0].variants[0].quality != 80)
    // A fixed quality of the same number makes the same bytes.
    let photo = try #require(images.first?.variants)
    let (webp, jpeg) = (photo[0].quality ?? 0, photo[0].also.first?.quality ?? 0)
    let fixed = try await Self.fixture(
      "{format: [webp, jpeg], quality: {webp: \(webp), jpeg: \(jpeg)}}", names: [Self.names[0]])
    #expect(try await fixed.run().status == 0)
    let same = try #require(try fixed.catalog.images.first?.variants)
    #expect(same.map { $0.files.map(\.sha256) } == photo.map { $0.files.map(\.sha256) })
    #expect(same.flatMap(\.files).allSatisfy { $0.quality == nil && $0.score == nil })

    let why = try await Tool.tessera("why", fixture.folder.path("out"), Self.names[0]).output
    #expect(why.contains("  a search found quality \(webp) in "), "\(why)")
    #expect(why.contains(" (search webp 192x256; quality 40 to 92 for 72; effort 4; "), "\(why)")
  }

  /// The quality depends on how the image is decoded, and not on which files are missing.
  @Test func newFilesTakeTheKnownQuality() async throws {
    let names = [Self.names[0]]
    let slots = "slots: {hero: {size: 120x}}\nscales: [2]"
    let fixture = try await Self.fixture(slots: slots, names: names)
    #expect(try await fixture.run().status == 0)
    let found = try await Self.found(fixture)
    #expect(found.count == 2 && found.allSatisfy { $0.contains(" 1 search ") }, "\(found)")
    // The base of the decoding is the largest file's, as before.
    try fixture.write(keys: Self.keys("{format: [webp, jpeg], quality: auto}"), slots: Self.large)
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["variants.made"] == 4)
    #expect(try await Self.found(fixture) == found)
    let other = try await Self.fixture(slots: Self.large, names: names)
    #expect(try await other.run().status == 0)
    #expect(try other.catalog.images[0].variants == fixture.catalog.images[0].variants)
    // Nothing is left to do.
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["decodes"] == 0)
  }

  /// JPEG shows a translucent image on a background, and WebP does not: they are not compared with the same image.
  @Test func whatIsFoundDoesNotDependOnOtherFormats() async throws {
    var scores: [String] = []
    for format in ["[webp, jpeg]", "jpeg"] {
      let fixture = try await Self.fixture(
        "{format: \(format), quality: {target: 90}}", slots: Self.large, names: ["transparent.png"])
      #expect(try await fixture.run().status == 0)
      let script = """
        import sqlite3, sys
        for row in sqlite3.connect(sys.argv[1]).execute(
          "SELECT quality, score FROM qualities WHERE recipe LIKE '%jpeg%'"): print(*row)
        """
      let path = fixture.folder.path("out/.tessera/state.sqlite")
      scores.append(try await Tool.run("/usr/bin/python3", ["-c", script, path]).output)
    }
    #expect(scores[0] == scores[1] && !scores[0].isEmpty, "\(scores)")
  }

  /// The search decodes its files by itself: to the same samples as any decoder.
  @Test(arguments: ["noise.png", "transparent.png"])
  func theScoreIsThatOfTheFile(_ name: String) async throws {
    let fixture = try await Self.fixture(
      "{format: [png, webp], quality: auto}", slots: "slots: {whole: {size: 500x500}}\nscales: [1]",
      names: [name])
    #expect(try await fixture.run().status == 0)
    let script = """
      import sqlite3, sys
      print(*[round(row[0], 3) for row in sqlite3.connect(sys.argv[1]).execute("SELECT score FROM qualities")])
      """
    let path = fixture.folder.path("out/.tessera/state.sqlite")
    let found = try await Tool.run("/usr/bin/python3", ["-c", script, path]).output
    let file = try #require(try fixture.catalog.images[0].variants.first)
    let webp = try #require(file.also.first?.path)
    let compared = try await Tool.tessera(
      "compare", fixture.folder.path("out/\(file.reference)"), fixture.folder.path("out/\(webp)"),
      "--json")
    let object = try JSONSerialization.jsonObject(with: Data(compared.output.utf8))
    let score = (object as? [String: Any])?["score"] as? Double
    #expect(score == Double(found.trimmingCharacters(in: .newlines)), "\(found)\(compared)")
  }

  @Test func aGraphicKeepsTheDefaultQuality() async throws {
    // Flat colours and a sharp edge.
    let folder = try TemporaryFolder()
    let rows = (0..<100).map { y in
      (0..<120).map { x in (x - 60) * (x - 60) + (y - 50) * (y - 50) < 900 ? "200 20 20" : "9 9 99"
      }
    }
    try folder.write(
      "P3 120 100 255\n" + rows.map { $0.joined(separator: " ") }.joined(separator: "\n"),
      to: "disc.ppm")
    let made = try await Tool.run(
      "/usr/bin/vips", ["copy", folder.path("disc.ppm"), folder.path("disc.png")])
    #expect(made.status == 0)
    let fixture = try RunFixture(
      manifest: #"{"id":"disc","url":"file://\#(folder.path("disc.png"))"}"#,
      keys: """
        fetch: {allow: ["files:\(folder.path("."))"]}
        variants: {quality: {target: 60}}
        catalog: {profile: full}
        """, slots: Self.small)
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images[0].variants.map(\.quality) == [80, 80])
  }
}
