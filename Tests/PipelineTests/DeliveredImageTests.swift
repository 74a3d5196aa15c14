import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraManifest
import TesseraNet
import TesseraPlan
import TesseraState
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Lines of images whose variants an image service makes, as whole texts.
@Suite struct DeliveredImageTests {
  /// An image service, and a pipeline of two slots, two scales and two formats that has it.
  static func pipeline(_ change: (inout PipelineFile) -> Void = { _ in }) throws -> PipelineFile {
    let text = """
      manifest: m
      output: o
      slots: {card: {size: 100x}}
      variants: {format: [avif, webp]}
      delivery:
        base: "https://cdn.example"
        template: "/{mode}/{width}x{height}[/{x},{y}]/{format}-{quality}?u={+url}"
        modes: {fit: max, clip: crop}
        formats: {webp: w, avif: a}
      """
    let service = try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
    var file = PipelineFile.example()
    file.delivery = service.delivery
    file.plan.formats = [.fixed(.avif), .fixed(.webp)]
    file.plan.slots.append(Slot("hero", width: 60, height: 60, mode: .clip))
    change(&file)
    return file
  }

  private static func item(_ url: String = "https://img.example/a.jpg", focus: CatalogFocus? = nil)
    -> Item
  {
    Item(
      ManifestEntry(line: 1, id: "a", url: url, focus: focus), position: 0, PipelineFile.fetch())
  }

  private static let size = KnownSize.header(
    HeaderRecord(
      format: "jpeg", width: 400, height: 300, hasAlpha: false, isAnimated: false,
      confirmation: .stale()))

  /// A variant in both formats.
  ///
  /// - Parameter crop: the part of the image; nil for all of it.
  private static func variant(
    _ place: String, _ width: Int, _ height: Int, crop: Crop? = nil
  ) -> String {
    func url(_ format: String) -> String {
      "https://cdn.example/\(place)/\(format)?u=https://img.example/a.jpg"
    }
    let digest = crop.map { #""crop":"\#(SHA256.of("\($0)").prefix(8))","# } ?? ""
    return #"{"width":\#(width),"height":\#(height),\#(digest)"#
      + #""urls":["\#(url("a-65"))","\#(url("w-80"))"]}"#
  }

  /// - Parameter x: where a square of the image's height begins.
  private static func variants(_ focus: String, x: Int) -> String {
    let crop = Crop(x: x, y: 0, size: Size(300, 300))
    return [
      variant("crop/60x60/\(focus)", 60, 60, crop: crop), variant("max/100x75", 100, 75),
      variant("crop/120x120/\(focus)", 120, 120, crop: crop), variant("max/200x150", 200, 150),
    ].joined(separator: ",")
  }

  private static let start = #"{"id":"a","url":"https://img.example/a.jpg","status":"#
  private static let facts =
    #""width":400,"height":300,"format":"jpeg","alpha":false,"animated":false,"frames":1,"#
  private static let slots =
    #""slots":{"card":{"width":100,"height":75,"variants":[1,3]},"#
    + #""hero":{"width":60,"height":60,"variants":[0,2]}}"#

  private static func line(
    _ item: Item, _ file: PipelineFile, error: ItemFailure? = nil,
    _ change: (inout Plan) -> Void = { _ in }
  ) throws -> String {
    let entries = ImageEntries(file)
    var plan = entries.plan(of: size, for: item)
    change(&plan)
    let service = try #require(file.delivery)
    let image = entries.delivered(item, size, plan, by: service, error: error)
    return String(decoding: image.line(extra: nil), as: UTF8.self)
  }

  @Test func eachVariantHasItsURLsOnce() throws {
    let line = try Self.line(Self.item(focus: .init(x: 0.25, y: 0.75)), try Self.pipeline())
    #expect(
      line == Self.start + #""ok","# + Self.facts
        + #""variants":[\#(Self.variants("0.25,0.75", x: 0))],"#
        + Self.slots + "}")
  }

  @Test func theGravityIsTheFocusOfAnItemWithout() throws {
    let file = try Self.pipeline { $0.plan.gravity = .side(.east) }
    #expect(
      try Self.line(Self.item(), file).contains(
        #""variants":[\#(Self.variants("1,0.5", x: 100))],"#))
  }

  @Test func aStaleImageHasItsErrorAndItsVariants() throws {
    let failure = ItemFailure.unreachable(FetchError(.dns, "no such host", isRetryable: true))
    let line = try Self.line(Self.item(), try Self.pipeline(), error: failure)
    #expect(
      line == Self.start + #""stale","# + Self.facts
        + #""error":{"code":"dns","message":"No such host.","retryable":true},"#
        + #""variants":[\#(Self.variants("0.5,0.5", x: 50))],"# + Self.slots + "}")
  }

  @Test func fallbacksAreNamed() throws {
    let line = try Self.line(Self.item(), try Self.pipeline { $0.plan.slots.removeLast() }) {
      $0.variants[0].files[0].fallback = Fallback([.serviceLimit])
      $0.variants[1].files[1].fallback = Fallback([.noAnimation(.webp)])
    }
    #expect(line.contains(#"{"width":100,"height":75,"fallback":"service-limit","urls":["#))
    #expect(line.contains(#"{"width":200,"height":150,"fallback":"webp-no-animation","urls":["#))
    #expect(line.components(separatedBy: "fallback").count == 3)
  }

  /// What a service can't make has no URL, rather than one for some of its formats.
  @Test func aVariantThatTheServiceCannotMakeHasNoURL() throws {
    let expected =
      #""variants":[{"width":100,"height":75},{"width":200,"height":150}]"#
    let local = try Self.line(
      Self.item("file:///a.jpg"), try Self.pipeline { $0.plan.slots.removeLast() })
    #expect(local.contains(expected), "\(local)")
    let limited = try Self.line(
      Self.item(),
      try Self.pipeline {
        $0.plan.slots.removeLast()
        $0.delivery?.limits.formats = [.avif]
      })
    #expect(limited.contains(expected), "\(limited)")
  }

  @Test func oneFormatHasOneURL() throws {
    let line = try Self.line(Self.item(), try Self.pipeline { $0.plan.formats = [.fixed(.webp)] })
    let url = "https://cdn.example/max/200x150/w-80?u=https://img.example/a.jpg"
    #expect(line.contains(#"{"width":200,"height":150,"urls":["\#(url)"]}"#))
  }

  /// What only a service makes has no name, and its formats no recipe.
  @Test func aServiceLeavesNoFilesToName() throws {
    var file = try Self.pipeline()
    #expect(
      FileNames(file).formats.map { [$0.type, $0.fileExtension, $0.recipe] } == [
        ["image/avif", nil, nil], ["image/webp", nil, nil], ["image/jpeg", nil, nil],
        ["image/png", nil, nil],
      ])
    let image = ImageEntries(file).delivered(
      Self.item(), Self.size, ImageEntries(file).plan(of: Self.size, for: Self.item()),
      by: try #require(file.delivery))
    #expect(image.source == nil)
    file.delivery?.makesFiles = true
    #expect(FileNames(file).formats.allSatisfy { $0.recipe != nil && $0.fileExtension != nil })
  }

  // MARK: Files besides a service

  /// A plan with a file in each format, of these many bytes.
  private static func filePlan(
    _ file: PipelineFile, _ item: Item, bytes: [Int]
  ) -> FilePlan {
    var filePlan = FilePlan.example()
    filePlan.plan = ImageEntries(file).plan(of: size, for: item)
    filePlan.records = zip(filePlan.plan.files, bytes).enumerated().map { index, file in
      VariantRecord(
        path: filePlan.source.path(of: file.0), width: file.0.size.width,
        height: file.0.size.height,
        bytes: file.1, sha256: "s\(index)")
    }
    return filePlan
  }

  @Test func filesHaveTheURLsOfTheService() throws {
    var file = try Self.pipeline { $0.plan.slots.removeLast() }
    file.delivery?.makesFiles = true
    #expect(file.deliveringService == nil)
    file.placeholders = []
    file.profile = .full
    let item = Self.item()
    let image = ImageEntries(file).shown(
      item, .example(), Self.filePlan(file, item, bytes: [5, 6, 7, 8]))
    func url(_ place: String) -> String {
      "https://cdn.example/max/\(place)?u=https://img.example/a.jpg"
    }
    #expect(
      String(decoding: image.line(extra: nil), as: UTF8.self) == Self.start + #""ok","# + Self.facts
        + #""source":"\#(FilePlan.example().source.source)","variants":["#
        + #"{"width":100,"height":75,"bytes":[5,6],"urls":["\#(url("100x75/a-65"))","#
        + #""\#(url("100x75/w-80"))"],"sha256":["s0","s1"]},"#
        + #"{"width":200,"height":150,"bytes":[7,8],"urls":["\#(url("200x150/a-65"))","#
        + #""\#(url("200x150/w-80"))"],"sha256":["s2","s3"]}],"#
        + #""slots":{"card":{"width":100,"height":75,"variants":[0,1]}}}"#)
  }

  /// A larger file stands in for a smaller one if it is the better choice in every format.
  @Test(arguments: [
    ([5, 6, 4, 5], [1, 1]), ([5, 6, 4, 7], [0, 1]), ([5, 6, 6, 5], [0, 1]),
    ([5, 6, 5, 5], [0, 1]),
    ([5, 6, 5, 6], [0, 1]), ([9, 9, 1, 1], [1, 1]), ([1, 1, 9, 9], [0, 1]),
  ])
  func slotsPointAtTheLightestFiles(_ bytes: [Int], _ expected: [Int]) throws {
    let file = try Self.pipeline { $0.plan.slots.removeLast() }
    let item = Self.item()
    let filePlan = Self.filePlan(file, item, bytes: bytes)
    let image = ImageEntries(file).shown(item, .example(), filePlan)
    #expect(image.slots["card"]?.variants == expected)
    // With a file missing, nothing is known of the places of others.
    var missing = filePlan
    missing.records[1] = nil
    let part = ImageEntries(file).shown(item, .example(), missing)
    #expect(part.variants.map(\.width) == [200])
    #expect(part.slots["card"]?.variants == [0, 1])
  }

  /// A crop is another part of the image, however few bytes it has.
  @Test func onlyTheSamePartStandsIn() throws {
    let file = try Self.pipeline { $0.plan.formats = [.fixed(.webp)] }
    let item = Self.item()
    let image = ImageEntries(file).shown(
      item, .example(), Self.filePlan(file, item, bytes: [9, 8, 3, 7]))
    #expect(image.slots["hero"]?.variants == [2, 2])
    #expect(image.slots["card"]?.variants == [3, 3])
  }
}
