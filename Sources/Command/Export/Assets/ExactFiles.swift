internal import TesseraCatalog
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraWorkers

/// Files with exactly the pixels of a slot at each density, so that an asset has the same size in points in all of them:
/// made by a worker from the largest file of the slot, unless a file of the output has that size and type.
final class ExactFiles {
  /// One file of an asset.
  struct Density {
    var scale: Int
    var bytes: [UInt8]
    /// Of its name.
    var type: String
  }

  private let context: ExportContext
  /// What the platform accepts.
  private let types: Set<String>
  private let pool: WorkerPool

  /// High enough that a second encoding adds little to the first.
  private static let quality = 90

  private init(_ context: ExportContext, _ types: Set<String>, _ pool: WorkerPool) {
    self.context = context
    self.types = types
    self.pool = pool
  }

  static func start(_ context: ExportContext, _ types: Set<String>) async throws -> ExactFiles {
    let settings = WorkerSettings(
      executable: context.worker, count: 1, memory: 2_000_000_000, time: .seconds(60))
    return ExactFiles(context, types, try await WorkerPool.start(settings))
  }

  func close() { pool.close() }

  /// The files of an image in a slot, by density.
  ///
  /// A density for which the image has too few pixels is left out, because nothing is enlarged: the system scales the one
  /// below. An image that is smaller than the slot has one density with the pixels that it has.
  ///
  /// - Parameter scales: of the platform's densities, ascending.
  func files(
    of image: CatalogImage, in slot: String, scales: [Int]
  ) async throws -> [Density] {
    // The image, which may be larger than its box: the app crops it.
    guard let use = image.slots[slot], let points = use.image ?? use.box,
      let source = context.files(of: image, in: slot).last?.variant
    else { return [] }
    var wanted = scales.map { ($0, Size(points.width * $0, points.height * $0)) }.filter {
      $0.1.width <= source.width && $0.1.height <= source.height
    }
    if wanted.isEmpty, let first = scales.first {
      wanted = [(first, Size(source.width, source.height))]
    }
    var made: [Density] = []
    var missing: [(scale: Int, size: Size)] = []
    for (scale, size) in wanted {
      if let file = file(of: image, size, in: slot) {
        made.append(Density(scale: scale, bytes: try await context.read(file), type: file.type))
      } else {
        missing.append((scale, size))
      }
    }
    if !missing.isEmpty { made += try await encode(missing, from: source, of: image) }
    return made.sorted { $0.scale < $1.scale }
  }

  /// A file of the output that has the size and a type of the platform.
  private func file(of image: CatalogImage, _ size: Size, in slot: String) -> CatalogVariant.File? {
    context.files(of: image, in: slot).map(\.variant).first {
      $0.width == size.width && $0.height == size.height
    }?.file(accepting: types)
  }

  private func encode(
    _ wanted: [(scale: Int, size: Size)], from source: CatalogVariant, of image: CatalogImage
  ) async throws -> [Density] {
    let file = source.files.first { OutputFormat(mediaType: $0.type) != nil } ?? source.files[0]
    let path = try context.path(of: file)
    // What the decoder sees may differ: a JPEG has no alpha whatever its source had.
    var facts = SourceFacts(
      size: Size(source.width, source.height), hasAlpha: image.alpha == true, frames: 1)
    let bytes = try await context.read(file)
    for _ in 0..<3 {
      let format = format(facts)
      switch try await pool.perform(
        job(wanted.map(\.size), file, facts, format), of: JobSource(.memory(bytes), host: ""))
      {
      case .made(let files):
        return try wanted.indices.map { index in
          Density(
            scale: wanted[index].scale, bytes: try files.bytes(of: index), type: format.mediaType)
        }
      case .differs(let seen): facts = seen
      case .failed(let failure):
        throw TesseraError(.output, "\"\(path)\" can't be decoded: \(failure.message)")
      }
    }
    throw TesseraError(.output, "\"\(path)\" can't be decoded: its size is not certain")
  }

  /// WebP where the platform shows it; else PNG for transparency, and JPEG.
  private func format(_ facts: SourceFacts) -> OutputFormat {
    if types.contains(OutputFormat.webp.mediaType) { return .webp }
    return facts.hasAlpha ? .png : .jpeg
  }

  private func job(
    _ sizes: [Size], _ file: CatalogVariant.File, _ facts: SourceFacts, _ format: OutputFormat
  ) -> TranscodeJob {
    let encoding = Encoding(
      format: format, quality: format == .png ? nil : Self.quality,
      effort: format == .webp ? 4 : nil, background: nil, isAnimated: false)
    return TranscodeJob(
      format: OutputFormat(mediaType: file.type)?.rawValue ?? "webp",
      expected: facts,
      decode: DecodePlan(base: facts.size, isAnimated: false, keepsProfile: false),
      failOn: .error, maximumPixels: 1_000_000_000, maximumFrames: 10_000,
      files: sizes.map {
        PlannedFile(crop: nil, size: $0, encoding: encoding, fallback: nil)
      }, placeholders: [])
  }
}

extension OutputFormat {
  init?(mediaType: String) {
    guard let format = Self.allCases.first(where: { $0.mediaType == mediaType }) else { return nil }
    self = format
  }
}
