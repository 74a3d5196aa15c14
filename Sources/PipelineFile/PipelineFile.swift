package import TesseraCatalog
package import TesseraImageHeader
package import TesseraManifest
package import TesseraPlan
internal import TesseraSystem
internal import TesseraText

/// A decoded pipeline file: every value has its type and is in its range, or is the default.
///
/// Paths are relative to the working directory. In the file they are relative to the file.
package struct PipelineFile: Sendable {
  /// The file's name without its extension.
  package var name: String
  package var path: String
  /// What works, and should be changed: with its place, a line each.
  package internal(set) var warnings: [String] = []
  package var manifest: Manifest
  /// The base of relative URLs in the manifest; nil if they are not allowed.
  package var base: String?
  /// Where the manifest has what; nil if it has Tessera's own names.
  package var columns: ColumnMapping?
  /// A directory, or `s3://bucket/prefix`.
  package var output: String
  /// The directory of the state of an output in an object store; nil for one in a directory.
  package var state: String?
  package var store = Store()
  /// The prefix of URLs in the catalog. It ends in "/"; nil means relative URLs.
  package var baseURL: String?
  package var plan: PlanSettings
  /// Nil if all files are made at once.
  package var upgrade: Upgrade?
  package var fetch = Fetch()
  /// The formats that sources may have.
  package var accept = defaultAccept
  package var limits = Limits()
  /// The number of worker processes; nil means one per usable processor.
  package var workers: Int?
  /// Whether a run is rejected if the kernel cannot confine workers wholly.
  package var requiresSandbox = false
  /// Which slots get tables of ready pixels.
  package var tables: [Table] = []
  /// The placeholders that the catalog has of each image.
  package var placeholders: [Placeholders.Kind] = [.color, .thumbhash]
  /// How damaged a source may be before it is rejected.
  package var failOn = FailOn.error
  /// In percent: if more of the last items failed, the run stops. At 100 it never stops.
  package var failAbove = 90.0
  /// In percent: if the manifest has lost more of the last run's items, the run stops. At 100 it never
  /// stops.
  package var shrinkAbove = 50.0
  /// In percent: if the run would lose more of the images that the current catalog shows, it stops. At 100 it
  /// never stops.
  package var lostAbove = 20.0
  /// How long the last good files of an image stay in the catalog after an error that does not pass.
  package var keepLost = Duration.zero
  /// What of the manifest becomes public besides the members that Tessera knows.
  package var extra = ExtraMembers.named([])
  package var profile = Profile.client
  package var urls = URLDisplay.shown
  /// The service that makes the variants, or makes them as well; nil if files are made.
  package var delivery: ImageService?
  /// What the screens of an app need of the catalog.
  package var screens: [CatalogScreen] = []
  /// For how many of the last catalogs there are changes that lead to the current one.
  package var catalogChanges = 0
  package var keptCatalogs = KeptCatalogs()

  /// Where the manifest is.
  package indirect enum Manifest: Sendable, Equatable {
    case standardInput
    case file(String)
    /// An absolute http(s) URL.
    case url(String)
    /// `s3://bucket/key`.
    case object(String)
    case query(ManifestQuery)
    /// Several, whose ids share one space.
    case several([Manifest])

    /// Whether it can be read only once: a part of it is standard input.
    package var isReadOnce: Bool { all.contains(.standardInput) }

    /// The lists, each by itself.
    package var all: [Manifest] {
      if case .several(let lists) = self { lists } else { [self] }
    }
  }

  /// A list that a SQLite database has.
  package struct ManifestQuery: Sendable, Equatable {
    /// The path of the database.
    package var database = ""
    /// One SELECT statement, whose columns are those of a table.
    package var sql = ""
  }

  /// How object stores (`s3://`) are reached; what is nil follows from the environment.
  package struct Store: Sendable, Equatable {
    /// The URL of the server; nil for AWS.
    package var endpoint: String?
    package var region: String?
    /// Whether the bucket is a part of the path and not of the host's name.
    package var usesPathStyle: Bool?

    package init(endpoint: String? = nil, region: String? = nil, usesPathStyle: Bool? = nil) {
      self.endpoint = endpoint
      self.region = region
      self.usesPathStyle = usesPathStyle
    }
  }

  /// The limits for one source in one worker.
  package struct Limits: Sendable {
    package var pixels = 100_000_000
    package var frames = 1_000
    /// Address space in bytes.
    package var memory = 2_000_000_000
    package var time = Duration.seconds(60)
    /// Bytes of a list that comes as gzip.
    package var unpackedList = 10_000_000_000
  }

  /// Which tables of ready pixels a slot gets.
  package struct Table: Sendable, Equatable {
    /// The name of a slot.
    package var slot: String
    /// Some of the pipeline's scales, ascending.
    package var scales: [Int]
    package var pixels: [TablePixels]
  }

  /// How much a catalog contains.
  package enum Profile: String, Sendable, CaseIterable {
    /// The members that apps need.
    case client
    /// Also the sources of images and the digests of their files.
    case full
  }

  /// Whether the catalog has the URLs of sources.
  package enum URLDisplay: String, Sendable, CaseIterable {
    /// Without secrets.
    case shown
    case none
  }

  /// The earlier catalogs that the output keeps beside the current one.
  package struct KeptCatalogs: Sendable, Equatable {
    package var count = 3
    /// How long after it was replaced each of them is kept.
    package var age = Duration.seconds(7 * 86_400)
  }

  /// The formats of photographs and of the web, as far as this version decodes them.
  package static let defaultAccept: [ImageFormat] = [
    .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .jxl, .bmp,
  ].filter(\.isDecoded)
}

extension PipelineFile {
  /// The settings for images that are upgraded; nil if none is. They are those of a list of formats that begins with the
  /// better one.
  package var upgradedPlan: PlanSettings? {
    upgrade.map { upgrade in
      var plan = plan
      plan.formats.insert(.fixed(upgrade.format), at: 0)
      return plan
    }
  }

  /// The file that says the same with a list of formats: what it makes is what is there when all images are upgraded.
  package var upgraded: PipelineFile {
    guard let plan = upgradedPlan else { return self }
    var file = self
    (file.plan, file.upgrade) = (plan, nil)
    return file
  }
}

/// A better format that a run makes files in when its images are published, as long as its budget lasts.
package struct Upgrade: Sendable, Equatable {
  package var format: OutputFormat
  /// The time of workers in one run.
  package var budget: Duration

  package init(format: OutputFormat, budget: Duration = .seconds(20 * 60)) {
    self.format = format
    self.budget = budget
  }
}

extension PipelineFile {
  /// What keeps a machine from making the files, if a format is missing there: a sentence without its full stop.
  ///
  /// A source in such a format, which `source` would keep, is an error of that image alone.
  ///
  /// - Parameter lacks: the formats that no worker of the machine can write.
  package func shortfall(lacking lacks: [OutputFormat]) -> String? {
    encodedFormats.first { lacks.contains($0.format) }.flatMap { named in
      named.format.missingEncoder.map { "\"\(named.key): \(named.format.rawValue)\": \($0)" }
    }
  }

  /// Whether the files need an encoder that a machine may lack.
  package var needsEncoders: Bool { encodedFormats.contains { $0.format.missingEncoder != nil } }

  /// The formats that the file names, of files that a run makes.
  private var encodedFormats: [(key: String, format: OutputFormat)] {
    guard deliveringService == nil else { return [] }
    return plan.fixedFormats.map { ("variants.format", $0) }
      + (upgrade.map { [("upgrade.format", $0.format)] } ?? [])
  }
}

extension PipelineFile.Manifest {
  /// Completes "must be …" in messages.
  package static let expected =
    "a path, an http(s) URL, s3://bucket/key, or \"-\" for standard input"

  /// Parses the location of a manifest. Nil for a URL that Tessera does not fetch.
  ///
  /// - Parameter directory: the base of relative paths.
  package init?(_ text: String, directory: String) {
    if text.isEmpty { return nil }
    if text == "-" {
      self = .standardInput
    } else if text.hasPrefix("s3://") {
      self = .object(text)
    } else if text.contains("://") {
      // A URL of another scheme is a mistake and not a path.
      guard SourceURL.isFetchable(text) else { return nil }
      self = .url(text)
    } else {
      self = .file(FileSystem.join(directory, text))
    }
  }
}

extension PipelineFile {
  /// The service that makes the variants instead of a run; nil if a run makes files.
  package var deliveringService: ImageService? {
    delivery.flatMap { $0.makesFiles ? nil : $0 }
  }

  /// Whether what is shown of an animation depends on how many frames it has.
  package var countsFrames: Bool {
    plan.service?.countsFrames(keepsAnimation: plan.keepsAnimation) ?? false
  }

  /// The plan for files of an image, whether or not a service makes those of others.
  package var planOfFiles: PlanSettings {
    var plan = plan
    plan.service = nil
    return plan
  }

  /// Fits the plan to the image service, and reports what does not go with it.
  mutating func applyDelivery(_ context: DecodingContext) {
    guard var service = delivery, let mark = context.pair("delivery")?.value.mark else { return }
    service.keepsAnimations = service.keepsAnimations && plan.keepsAnimation
    delivery = service
    if case .found(let interest) = plan.gravity {
      context.report(
        mark,
        "\"variants.gravity: \(interest.rawValue)\" needs decoded pixels, and an image service crops by itself; "
          + "give a side, or each item its focus")
    }
    checkFormats(service, at: mark, context)
    guard let service = deliveringService else { return }
    if plan.findsQuality {
      context.report(
        mark,
        "\"variants.quality: auto\" needs decoded pixels, and an image service encodes by itself; give a number, "
          + "or say \"delivery.files: true\"")
    }
    plan.service = service.limits
    // Of files for some images, all other keys have an effect.
    let useless = service.filesFor.isEmpty ? nil : ["upgrade", "tables"]
    let unused = (useless ?? Self.keys.flatMap { $0.paths("", .files) }).filter { key in
      // No placeholders are what a service has.
      context.pair(key) != nil && !(key == "placeholders" && placeholders.isEmpty)
    }
    for key in unused {
      context.report(
        mark,
        "\"\(key)\" has no effect: the image service makes the variants, and nothing is decoded; remove it, "
          + "or say \"delivery.files: true\"")
    }
  }

  private func checkFormats(_ service: ImageService, at mark: Mark, _ context: DecodingContext) {
    let made = OutputFormat.allCases.filter { service.formats[$0] != nil }.map(\.rawValue)
    for choice in plan.formats {
      let isMade = choice.formats.allSatisfy { service.formats[$0] != nil }
      guard !isMade || choice == .source else { continue }
      context.report(
        mark,
        "\"variants.format: \(choice.rawValue)\": the image service makes \(made.joined(separator: ", "))"
      )
    }
  }
}
