import TesseraBytes
import TesseraCatalog
import TesseraPlan
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Names of what is made of a content.
@Suite struct ContentKeysTests {
  private static func keys(
    _ format: String, _ decode: DecodePlan = decode,
    _ change: (inout SourceFacts) -> Void = { _ in }
  ) -> ContentKeys {
    var facts = SourceFacts(size: Size(400, 300), hasAlpha: false, frames: 1)
    change(&facts)
    return ContentKeys(
      content: "c", format: format, facts: facts,
      decode: decode, libvips: "8.14.1")
  }

  private static let decode = DecodePlan(
    base: Size(3, 4), isAnimated: true, keepsProfile: false)

  private static func digest(_ recipe: String, _ own: String = "") -> String {
    RecordKey.of(
      "content c\nbase 3x4; all frames\n\(recipe)\nlibvips 8.14.1\nrecipes 4\n\(own)")
  }

  /// A plain JPEG has the key that it had before there were numbers of decoders and encoders, so that no correction of
  /// another format has its files made again.
  @Test func aPlainJPEGKeepsItsKeys() throws {
    var plan = PipelineFile.example().plan
    let jpeg = Self.keys("jpeg") { $0.colourSpace = "rgb" }
    let files = Plan(for: jpeg.facts.planned("jpeg", focus: nil), settings: plan).files
    #expect(!files.isEmpty)
    for file in files {
      #expect(jpeg.file(file) == Self.digest(file.recipe))
      // What only the decoder knows changes nothing.
      #expect(Self.keys("jpeg").file(file) == jpeg.file(file))
    }
    #expect(jpeg.placeholder == Self.digest("placeholder"))
    plan.quality[.webp] = nil
    plan.slots.insert(Slot("hero", width: 60, height: 40, mode: .clip), at: 0)
    var searching = Plan(for: jpeg.facts.planned("jpeg", focus: nil), settings: plan)
    let whole = Self.keys("jpeg", searching.decode(of: jpeg.facts.size))
    let search = try #require(
      searching.prepareSearches(of: whole.facts.size, whole.decode).first)
    let digest = RecordKey.of(
      "content c\n\(whole.decode.recipe)\n\(search.recipe)\nlibvips 8.14.1\nrecipes 4\n")
    #expect(whole.quality(search) == "c\(digest.prefix(16))")
  }

  /// What a correction changes has the number of its decoder.
  @Test func whatWasCorrectedHasOtherKeys() throws {
    let inks = Self.keys("jpeg") { $0.colourSpace = "cmyk" }
    #expect(inks.placeholder == Self.digest("placeholder", "decoder jpeg in inks 1\n"))
    for (format, number) in [("png", 2), ("tiff", 2), ("avif", 1), ("webp", 1), ("svg", 1)] {
      #expect(
        Self.keys(format).placeholder
          == Self.digest("placeholder", "decoder \(format) \(number)\n"))
    }
    for format in ["ico", "jp2"] {
      #expect(Self.keys(format).placeholder == Self.digest("placeholder"))
    }
  }

  /// Lines of catalogs, and rejections, are looked at again after any correction.
  @Test func allNumbersAreInTheText() {
    #expect(Recipes.text.hasPrefix("recipes 4 "))
    for (name, number) in Recipes.decoders {
      #expect(Recipes.text.contains("decoder \(name) \(number)"))
    }
  }
}
