import TesseraCatalog
import TesseraManifest
import TesseraPlan
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Every service that has a preset, with sources of all kinds: no URL of a catalog is one that the service would cut, shrink, reject
/// or answer with something else, and nothing is given up that it could make.
@Suite struct SimulationTests {
  /// What a pipeline needs besides the preset.
  private static let base = [
    "bunny", "cloudflare", "cloudinary", "fastly", "imgix", "imgproxy", "next", "thumbor",
  ]

  private static func pipeline(
    _ service: SimulatedService, _ formats: [String], _ keys: String = ""
  ) throws -> PipelineFile {
    let base = Self.base.contains(service.name) ? ", base: \"https://cdn.example\"" : ""
    let text = """
      manifest: m
      output: o
      slots:
        avatar: {size: 48x48, mode: clip}
        cover: {size: 400x300, mode: fill}
        card: {size: 180x}
        page: {size: 670x}
        hero: {size: 2000x900, mode: clip}
        poster: {size: 5000x}
      variants: {format: [\(formats.joined(separator: ", "))]}
      accept: [jpeg, png, gif, webp, avif, heic, tiff, jxl, bmp]
      limits: {pixels: 1GP}
      fetch: {max-bytes: 1GB}
      delivery: {preset: \(service.name)\(base)}
      \(keys)
      """
    return try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
  }

  private static let url = "https://images.example/a"

  /// The image in the catalog, and its plan; nil if the source is rejected.
  private static func image(
    _ source: SimulatedSource, _ file: PipelineFile
  ) throws -> (image: CatalogImage, plan: Plan)? {
    let record = HeaderRecord(
      format: source.format, width: source.shown.width, height: source.shown.height,
      hasAlpha: source.hasAlpha, isAnimated: source.frames > 1, frames: source.frames,
      bytes: source.bytes,
      confirmation: Confirmation(
        etag: nil, lastModified: nil, checked: 0, freshUntil: nil, run: 1))
    guard Acceptance(file).accepts(record) else { return nil }
    let focus = source.focus.map { CatalogFocus(x: $0[0], y: $0[1]) }
    let item = Item(
      ManifestEntry(line: 1, id: "a", url: url, focus: focus), position: 0, file.fetch)
    let entries = ImageEntries(file)
    let plan = entries.plan(of: .header(record), for: item)
    let service = try #require(file.deliveringService)
    return (entries.delivered(item, .header(record), plan, by: service), plan)
  }

  /// What is wrong with an image; empty if nothing is.
  private static func problems(
    _ source: SimulatedSource, _ service: SimulatedService, _ formats: [String],
    isMoving: Bool = true
  ) throws -> [String] {
    let keys = isMoving ? "" : "\n"
    var file = try pipeline(service, formats, keys)
    file.plan.keepsAnimation = isMoving
    if !isMoving { file.delivery?.keepsAnimations = false }
    guard let (image, plan) = try image(source, file) else {
      let isShown = ["jpeg", "png", "gif", "webp", "avif"].contains(source.format)
      return service.rejection(of: source) == nil || isShown ? ["it is rejected without need"] : []
    }
    let comparison = SimulatedCase(source, service, formats, isMoving: isMoving)
    return zip(image.variants, plan.variants).flatMap { variant, planned in
      comparison.problems(variant, planned, asked: plan.asked(planned))
    }
  }

  private static func formats(_ service: SimulatedService) -> [String] {
    service.makes.contains("avif") ? ["avif", "webp"] : ["webp"]
  }

  @Test func thereAreFourHundredAndEightyCases() {
    #expect(SimulatedService.all.count == 12 && SimulatedSource.all.count == 40)
  }

  @Test(.faults(.c21), arguments: SimulatedService.all)
  func noURLIsOneThatTheServiceWouldChange(_ service: SimulatedService) throws {
    for source in SimulatedSource.all {
      let found = try Self.problems(source, service, Self.formats(service))
      #expect(found == [], "\(service.name), \(source.name)")
    }
  }

  /// Without animations, and in formats that have none, only what a service reads and holds counts.
  @Test(.faults(.c21), arguments: SimulatedService.all)
  func firstFramesAreMadeOfWhatTheServiceReads(_ service: SimulatedService) throws {
    for source in SimulatedSource.all {
      let found = try Self.problems(
        source, service, Self.formats(service).reversed(), isMoving: false)
      #expect(found == [], "\(service.name), \(source.name)")
    }
  }

  /// Shown in part as text, so that a table that lets everything through, or nothing, is noticed.
  @Test func whatCannotBeMadeIsTheSourceItself() throws {
    var lines: [String] = []
    for service in SimulatedService.all {
      let file = try Self.pipeline(service, Self.formats(service))
      let names = try SimulatedSource.all.filter { source in
        try Self.image(source, file).map { $0.image.variants.allSatisfy(\.isOriginal) }
          ?? false
      }.map(\.name)
      lines.append("\(service.name): \(names.joined(separator: " "))")
    }
    let moving =
      "apng gif-12 gif-50 gif-51 gif-60 gif-200 gif-301 gif-55-megapixels gif-280-megapixels gif-1200 webp-moving"
    #expect(
      lines.first { $0.hasPrefix("nos") }
        == "nos: apng gif-51 gif-60 gif-200 gif-301 gif-55-megapixels gif-280-megapixels gif-1200 webp-moving"
    )
    #expect(
      lines.first { $0.hasPrefix("cloudflare") }
        == "cloudflare: large 150-megapixels 260-megapixels 120-megabytes apng gif-55-megapixels gif-280-megapixels webp-16000 avif"
    )
    #expect(lines.first { $0.hasPrefix("imgix") } == "imgix: \(moving)")
  }

  /// The infographic of an app that uses NOS, and an animation of 60 frames.
  @Test func theAppsOfNOSHaveTheirExceptions() throws {
    let service = try #require(SimulatedService.all.first { $0.name == "nos" })
    let file = try Self.pipeline(service, ["webp"])
    func image(_ name: String) throws -> CatalogImage {
      let source = try #require(SimulatedSource.all.first { $0.name == name })
      return try #require(try Self.image(source, file)).image
    }
    let tall = try image("infographic")
    let place = try #require(tall.slots["page"])
    let shown = tall.variants[place.variants[0]]
    #expect((place.width, place.height) == (670, 35_880))
    #expect((shown.width, shown.height) == (670, 35_880))
    #expect(shown.files.map(\.type) == ["image/jpeg"])
    #expect(shown.fallback == "webp-size-limit" && !shown.isOriginal)
    #expect(shown.files[0].url?.contains("thumbnail=670x35880&type=jpg&") == true)
    let moving = try image("gif-60").variants
    #expect(
      moving == [
        CatalogVariant(
          width: 400, height: 300, fallback: "service-limit",
          files: [.init(format: nil, url: Self.url, type: "image/gif", bytes: 1_400_000)])
      ])
    #expect(try image("gif-50").variants.allSatisfy { !$0.isOriginal })
  }

  @Test func oneFormatsLimitDoesNotShrinkAnother() throws {
    let service = try #require(SimulatedService.all.first { $0.name == "cloudflare" })
    let source = try #require(SimulatedSource.all.first { $0.name == "phone" })
    let file = try Self.pipeline(service, ["avif", "webp"])
    let image = try #require(try Self.image(source, file)).image
    let sizes = image.variants.map { variant in
      "\(variant.height) " + variant.files.map(\.type).joined(separator: " ")
    }
    #expect(sizes.contains("1024 image/avif image/webp"))
    #expect(sizes.contains("2048 image/webp"))
  }
}

extension Plan {
  /// The longest sides that are requested of a variant, at most those of what it shows.
  fileprivate func asked(_ variant: PlannedVariant) -> [Int] {
    slots.flatMap { slot in
      slot.requests.filter { variants[$0.variant] == variant }.map(\.asked.longerSide)
    }
  }
}
