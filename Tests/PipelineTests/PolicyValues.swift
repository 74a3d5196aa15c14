import TesseraPlan
import TesseraState
import TesseraWorkers

@testable import TesseraImageHeader
@testable import TesseraNet
@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Values that the tests of decisions begin with. Each test changes what its case is about.

/// The moment of every decision, in seconds since 1970.
let now = 1_000_000.0
/// The number of the run that decides.
let thisRun = 7

extension PipelineFile {
  /// The default settings.
  static func fetch() -> Fetch { example().fetch }

  /// A pipeline with one slot, whose files are WebP of exactly the requested sizes.
  static func example() -> PipelineFile {
    PipelineFile(
      name: "shop", path: "shop.yaml", manifest: .file("list.txt"), output: "out",
      plan: PlanSettings(
        slots: [Slot("card", width: 100, height: nil)], scales: [1, 2], rounding: .exact))
  }
}

extension Confirmation {
  /// Confirmed an hour ago by an earlier run, and stale since half an hour.
  static func stale(run: Int = thisRun - 1) -> Confirmation {
    Confirmation(
      etag: "\"old\"", lastModified: nil, checked: now - 3_600, freshUntil: now - 1_800, run: run)
  }
}

extension FetchResponse {
  static func example(
    etag: String? = nil, lastModified: String? = nil, freshness: Duration? = nil,
    redirects: [Duration?] = [], url: String = "https://img.example/a.jpg"
  ) -> FetchResponse {
    FetchResponse(
      ending: .complete, url: url, place: url, leftOrigin: false,
      validators: Validators(etag: etag, lastModified: lastModified), freshness: freshness,
      redirectFreshness: redirects, bytes: 10)
  }
}

extension ContentRecord {
  static func example(
    width: Int = 400, height: Int = 300, frames: Int = 1, warnings: [SourceWarning] = []
  ) -> ContentRecord {
    ContentRecord(
      format: "jpeg",
      facts: SourceFacts(size: Size(width, height), hasAlpha: false, frames: frames),
      warnings: warnings)
  }
}

extension FilePlan {
  /// The plan of `PipelineFile.example()` for an image of 400 x 300.
  ///
  /// - Parameter missing: the number of files, the first ones, that are not published.
  static func example(missing: Int = 0) -> FilePlan {
    let facts = SourceFacts(size: Size(400, 300), hasAlpha: false, frames: 1)
    let plan = Plan(
      for: facts.planned("jpeg", focus: nil), settings: PipelineFile.example().plan)
    let files = plan.files
    let source = ContentKeys(
      content: "c0", format: "jpeg", facts: facts, decode: plan.decode(of: facts.size),
      FileNames(.example()))
    return FilePlan(
      source: source, plan: plan, keys: files.map(source.key(of:)),
      records: files.enumerated().map { index, file in
        index < missing
          ? nil
          : VariantRecord(
            path: source.path(of: file), width: file.size.width, height: file.size.height,
            bytes: 100 + index, sha256: "f\(index)")
      },
      placeholder: Placeholders([
        .color: "#102030", .thumbhash: "AAEC", .blurhash: "L00000",
      ]))
  }
}

extension KnownSource {
  /// A source that was decoded by an earlier run, and all of whose files are there.
  static func ready(_ confirmation: Confirmation = .stale()) -> KnownSource {
    var source = KnownSource()
    source.record = SourceRecord(content: "c0", confirmation: confirmation)
    source.content = .example()
    source.filePlan = .example()
    source.isReady = true
    return source
  }
}

extension RejectionRecord {
  /// Bytes that two runs could not decode; the second examined them `age` seconds ago.
  static func example(age: Double = 60) -> RejectionRecord {
    var record = RejectionRecord(
      settings: "s1", kind: .undecodable, code: "decode",
      details: #"["worker","the data is damaged"]"#, content: "c0", etag: "\"e\"", place: "p",
      seen: now - age)
    record.repeats = 1
    return record
  }
}

extension ImageHeader {
  static func example(
    _ format: ImageFormat = .jpeg, _ width: Int = 400, _ height: Int = 300,
    _ orientation: Orientation = .upright
  ) -> ImageHeader {
    ImageHeader(
      format: format, pixelWidth: width, pixelHeight: height, orientation: orientation)
  }
}

extension HeaderRecord {
  static func example(width: Int = 640, height: Int = 480) -> HeaderRecord {
    HeaderRecord(
      format: "png", width: width, height: height, hasAlpha: true, isAnimated: false,
      confirmation: .stale())
  }
}
