import TesseraCatalog
import TesseraJSON
import TesseraManifest
import TesseraNet
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraWorkers
import Testing

@testable import TesseraPipeline

/// Lines of the catalog, as whole texts.
@Suite struct ImageEntriesTests {
  private let item = Item(
    ManifestEntry(line: 1, id: "a", url: "https://me:x@img.example/a.jpg"), position: 0,
    PipelineFile.fetch())

  private func entries(_ change: (inout PipelineFile) -> Void = { _ in }) -> ImageEntries {
    var file = PipelineFile.example()
    change(&file)
    return ImageEntries(file)
  }

  private func line(_ image: CatalogImage, extra: String? = nil) -> String {
    String(decoding: image.line(extra: extra), as: UTF8.self)
  }

  private let start = #"{"id":"a","url":"https://img.example/a.jpg","status":"#
  private let variants =
    #""source":"\#(FilePlan.example().source.source)","variants":[{"width":100,"height":75,"#
    + #""bytes":[100]},{"width":200,"height":150,"bytes":[101]}],"#
    + #""slots":{"card":{"width":100,"height":75,"variants":[0,1]}}"#
  private let placeholder = ##""placeholder":{"color":"#102030","thumbhash":"AAEC"}"##

  @Test func anImageIsShown() {
    let image = entries().shown(item, .example(), .example())
    #expect(
      line(image) == start + #""ok","width":400,"height":300,"format":"jpeg","alpha":false,"#
        + #""animated":false,"frames":1,"# + placeholder + "," + variants + "}")
  }

  /// A file with more pixels and fewer bytes is the better choice, in the place of the smaller one.
  @Test(arguments: [([100, 101], [0, 1]), ([101, 100], [1, 1]), ([100, 100], [0, 1])])
  func slotsPointAtTheFewestBytes(_ bytes: [Int], _ expected: [Int]) {
    var filePlan = FilePlan.example()
    for (index, count) in bytes.enumerated() { filePlan.records[index]?.bytes = count }
    let image = entries().shown(item, .example(), filePlan)
    #expect(image.slots["card"]?.variants == expected)
    #expect(image.variants.count == 2)
  }

  @Test func extraIsPassedOn() {
    let image = entries().shown(item, .example(), .example())
    #expect(line(image, extra: "5").hasSuffix(#","extra":5}"#))
  }

  @Test func aStaleImageHasItsError() {
    let failure = ItemFailure.unreachable(FetchError(.dns, "no such host", isRetryable: true))
    let content = ContentRecord.example(
      frames: 3, warnings: [.damagedProfile, .damaged(.none, detail: "cut off")])
    let image = entries().shown(item, content, .example(), error: failure)
    #expect(
      line(image) == start + #""stale","width":400,"height":300,"format":"jpeg","alpha":false,"#
        + #""animated":true,"frames":3,"#
        + #""error":{"code":"dns","message":"No such host.","retryable":true},"#
        + #""warnings":["damaged-profile: the colour profile is damaged or does not match the image","#
        + #""damaged: the image is damaged and was decoded as far as possible (fail-on: none): cut off"],"#
        + placeholder + "," + variants + "}")
  }

  @Test func theConfiguredPlaceholdersAreShown() {
    let cases: [([Placeholders.Kind], String?)] = [
      ([], nil),
      ([.color], ##"{"color":"#102030"}"##),
      ([.thumbhash, .blurhash], #"{"thumbhash":"AAEC","blurhash":"L00000"}"#),
      (
        Placeholders.Kind.allCases,
        ##"{"color":"#102030","thumbhash":"AAEC","blurhash":"L00000"}"##
      ),
    ]
    for (kinds, expected) in cases {
      let text = line(entries { $0.placeholders = kinds }.shown(item, .example(), .example()))
      if let expected {
        #expect(text.contains("\"placeholder\":" + expected + ",\"source\""))
      } else {
        #expect(!text.contains("placeholder"))
      }
    }
    // A fully transparent image has no colour.
    var transparent = FilePlan.example()
    transparent.placeholder?[.color] = nil
    let text = line(
      entries { $0.placeholders = [.color] }.shown(item, .example(), transparent))
    #expect(!text.contains("placeholder"))
  }

  @Test func aVariantWithoutItsFilesIsLeftOut() {
    let text = line(entries().shown(item, .example(), .example(missing: 1)))
    #expect(text.contains(#""variants":[{"width":200,"height":150,"bytes":[101]}],"slots""#))
    // Without any file there is none that has the source in its name.
    let none = entries().shown(item, .example(), .example(missing: 2))
    #expect(none.variants == [] && none.source == nil)
  }

  @Test func onlyAFullCatalogHasDigests() {
    let client = line(entries().shown(item, .example(), .example()))
    #expect(!client.contains("sha256"))
    let full = line(entries { $0.profile = .full }.shown(item, .example(), .example()))
    #expect(full.contains(#""bytes":[100],"sha256":["f0"]}"#))
    #expect(full.contains(#""bytes":[101],"sha256":["f1"]}"#))
  }

  @Test func aFullCatalogNamesTheSource() {
    var source = KnownSource.ready()
    source.content?.bytes = 5_000
    source.record?.url = "https://cdn.example/a.jpg"
    let content = source.content
    #expect(entries().provenance(source.record, content) == nil)
    let full = entries { $0.profile = .full }
    #expect(full.provenance(source.record, nil) == nil)
    #expect(full.provenance(nil, content) == nil)
    var image = full.shown(item, .example(), .example())
    image.provenance = full.provenance(source.record, content)
    let text = #""provenance":{"url":"https://cdn.example/a.jpg","bytes":5000,"sha256":"c0","#
    #expect(line(image).hasSuffix(text + #""etag":"\"old\""}}"#))
    var record = SourceRecord(content: "c1", confirmation: .stale(run: thisRun), robots: "noai")
    record.confirmation.etag = "\"new\""
    // That of a file has its times.
    #expect(full.provenance(record, content, isFile: true)?.etag == nil)
    image.provenance = full.provenance(record, content)
    #expect(
      line(image).hasSuffix(
        #""provenance":{"bytes":5000,"sha256":"c1","etag":"\"new\"","robots":"noai"}}"#))
  }

  // MARK: Pending

  private let noVariants = #""slots":{"card":{"width":100,"height":75}}}"#

  @Test func knownBytesWithoutFilesArePending() throws {
    let size = try #require(KnownSize(bytesOf: KnownSource.ready()))
    let plan = entries().plan(of: size, for: item)
    let image = entries().pending(item, size, plan)
    #expect(
      line(image) == start + #""pending","width":400,"height":300,"format":"jpeg","#
        + #""alpha":false,"animated":false,"frames":1,"# + placeholder + "," + noVariants)
  }

  @Test func aHeaderIsPending() {
    let cases: [(Bool?, String)] = [
      (false, #""animated":false,"frames":1,"#), (true, #""animated":true,"#), (nil, ""),
    ]
    for (isAnimated, middle) in cases {
      var header = HeaderRecord.example()
      header.isAnimated = isAnimated
      let size = KnownSize.header(header)
      let image = entries().pending(item, size, entries().plan(of: size, for: item))
      #expect(
        line(image) == start + #""pending","width":640,"height":480,"format":"png","#
          + #""alpha":true,"# + middle + noVariants)
    }
  }

  // MARK: Failed

  private let error =
    #""error":{"code":"dns","message":"No such host.","retryable":false}"#
  private let failure = ItemFailure.unreachable(FetchError(.dns, "no such host"))

  @Test func aFailedItemHasWhatIsKnown() {
    var changed = KnownSource.ready()
    changed.header = .example()
    let cases: [(KnownSource?, String)] = [
      (nil, error + #","slots":{"card":{}}}"#),
      (KnownSource(), error + #","slots":{"card":{}}}"#),
      (
        .ready(),
        #""width":400,"height":300,"format":"jpeg","# + error + "," + placeholder + "," + noVariants
      ),
      // The placeholder of the old bytes would show another image.
      (changed, #""width":640,"height":480,"format":"png","# + error + "," + noVariants),
    ]
    for (known, rest) in cases {
      let image = entries().failed(item, failure, known: known)
      #expect(line(image) == start + #""failed","# + rest)
    }
  }

  /// A page reserves the place of an image that can't be shown, wherever its box is known.
  @Test func aFailedItemHasItsBoxes() {
    let slots = [
      Slot("hero", width: 60, height: 60, mode: .clip), Slot("row", width: nil, height: 30),
    ]
    let entries = entries { $0.plan.slots += slots }
    func boxes(
      _ names: [String]? = nil, _ failure: ItemFailure? = nil, _ known: KnownSource? = nil
    ) -> [String: CatalogSlotUse] {
      let entry = ManifestEntry(line: 1, id: "a", url: "https://img.example/a.jpg", slots: names)
      let item = Item(entry, position: 0, PipelineFile.fetch())
      return entries.failed(item, failure ?? self.failure, known: known).slots
    }
    // Both sides of a slot, whatever the image is.
    let unknown = CatalogSlotUse(width: nil, height: nil)
    let hero = CatalogSlotUse(width: 60, height: 60)
    #expect(boxes() == ["card": unknown, "hero": hero, "row": unknown])
    #expect(boxes(["hero"]) == ["hero": hero])
    // With the size of the image all of them.
    let all = [
      "card": CatalogSlotUse(width: 100, height: 75), "hero": hero,
      "row": CatalogSlotUse(width: 40, height: 30),
    ]
    let facts = ImageFacts(format: "gif", size: Size(400, 300))
    #expect(boxes(nil, .rejected(.tooManyPixels(facts, limit: 1))) == all)
    #expect(boxes(nil, nil, .ready()) == all)
    #expect(boxes(["row"], nil, .ready()) == ["row": CatalogSlotUse(width: 40, height: 30)])
    #expect(boxes(["none"], .unknownSlot("none", known: ["card"])) == [:])
  }

  @Test func aFailureNamesTheImageThatItIsAbout() {
    let facts = ImageFacts(format: "gif", size: Size(7, 9))
    let named = #""width":7,"height":9,"format":"gif","error":{"#
    let cases: [(ItemFailure, String)] = [
      (.rejected(.tooManyPixels(facts, limit: 1)), named),
      (.rejected(.notAnImage), #""error":{"#),
      (.undecodable(TranscodeFailure(.decode, "x"), facts), named),
      (.undecodable(TranscodeFailure(.decode, "x"), nil), #""error":{"#),
      (.unknownSlot("b", known: ["card"]), #""error":{"#),
    ]
    for (failure, rest) in cases {
      let text = line(entries().failed(item, failure, known: nil))
      #expect(text.hasPrefix(start + #""failed","# + rest), "\(text)")
    }
  }
}
