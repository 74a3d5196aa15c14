import TesseraBytes
import TesseraCatalog
import TesseraPlan
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// What identifies a source, and what is made of it.
@Suite struct ContentKeysTests {
  private static func keys(
    _ format: String, _ decode: DecodePlan = decode, content: String = "c",
    _ change: (inout SourceFacts) -> Void = { _ in }
  ) -> ContentKeys {
    var facts = SourceFacts(size: Size(400, 300), hasAlpha: false, frames: 1)
    change(&facts)
    return ContentKeys(
      content: content, format: format, facts: facts, decode: decode, FileNames(.example()))
  }

  private static let decode = DecodePlan(
    base: Size(3, 4), isAnimated: true, keepsProfile: false)

  /// The source in names of files.
  private static func source(_ own: String = "") -> String {
    String(SHA256.of("content c\nbase 3x4\nrecipes 4\n\(own)").prefix(32))
  }

  private static func placeholder(_ own: String = "") -> String {
    RecordKey.of("content c\nbase 3x4; all frames\nplaceholder\nrecipes 4\n\(own)")
  }

  /// A plain JPEG has no number of a decoder, so that no correction of another format renames its files.
  @Test func aPlainJPEGKeepsItsNames() throws {
    var plan = PipelineFile.example().plan
    let jpeg = Self.keys("jpeg") { $0.colourSpace = "rgb" }
    let files = Plan(for: jpeg.facts.planned("jpeg", focus: nil), settings: plan).files
    let recipe = try #require(FileNames(.example()).formats[0].recipe)
    let source = Self.source()
    #expect(jpeg.source == source)
    let folder = "variants/\(source.prefix(2))/\(source.dropFirst(2).prefix(2))"
    #expect(
      files.map(jpeg.path(of:))
        == ["100x75", "200x150"].map { "\(folder)/\(source)-\($0)-\(recipe).webp" })
    #expect(files.map(jpeg.key(of:)) == files.map { RecordKey.of(jpeg.path(of: $0)) })
    // What only the decoder knows changes nothing.
    #expect(Self.keys("jpeg").source == source)
    #expect(jpeg.placeholder == Self.placeholder())
    plan.quality[.webp] = nil
    plan.slots.insert(Slot("hero", width: 60, height: 40, mode: .clip), at: 0)
    var searching = Plan(for: jpeg.facts.planned("jpeg", focus: nil), settings: plan)
    let whole = Self.keys("jpeg", searching.decode(of: jpeg.facts.size))
    let search = try #require(
      searching.prepareSearches(of: whole.facts.size, whole.decode).first)
    let digest = RecordKey.of("\(whole.decode.recipe)\n\(search.recipe)\nrecipes 4\n")
    #expect(whole.quality(search) == "c\(digest.prefix(16))")
  }

  /// What a correction changes has the number of its decoder.
  @Test func whatWasCorrectedHasOtherNames() throws {
    func expect(_ keys: ContentKeys, _ own: String) {
      #expect(keys.source == Self.source(own))
      #expect(keys.placeholder == Self.placeholder(own))
    }
    expect(Self.keys("jpeg") { $0.colourSpace = "cmyk" }, "decoder jpeg in inks 1\n")
    for (format, number) in [("png", 2), ("tiff", 2), ("avif", 1), ("webp", 1), ("svg", 1)] {
      expect(Self.keys(format), "decoder \(format) \(number)\n")
    }
    for format in ["ico", "jp2"] { expect(Self.keys(format), "") }
  }

  /// A larger base gives other pixels. Frames and profiles are in the recipe of the files.
  @Test func aSourceIsItsBytesAndTheSizeOfItsDecoding() {
    func source(_ base: Size, content: String = "c", keepsProfile: Bool = false) -> String {
      let decode = DecodePlan(base: base, isAnimated: false, keepsProfile: keepsProfile)
      return Self.keys("jpeg", decode, content: content).source
    }
    #expect(source(Size(3, 4)) == Self.source())
    #expect(source(Size(3, 4), keepsProfile: true) == Self.source())
    #expect(source(Size(6, 8)) != Self.source())
    #expect(source(Size(3, 4), content: "d") != Self.source())
  }

  /// Lines of catalogs, and rejections, are looked at again after any correction.
  @Test func allNumbersAreInTheText() {
    #expect(Recipes.text.hasPrefix("recipes 4 "))
    for (name, number) in Recipes.decoders {
      #expect(Recipes.text.contains("decoder \(name) \(number)"))
    }
  }
}
