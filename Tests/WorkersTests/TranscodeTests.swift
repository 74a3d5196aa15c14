import Foundation
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

/// The pixels that a worker makes, compared with what they should be.
@Suite struct TranscodeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The pixels of a worker's files.
  private func transcode(
    _ source: String, _ format: String, of size: Size = Size(800, 600), alpha: Bool = false,
    base: Size, _ files: [PlannedFile]
  ) async throws -> [Pixels] {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    var job = job(format: format, size: size, alpha: alpha, files: files)
    job.decode.base = base
    let answer = try await pool.perform(
      job, of: JobSource(.file(path: folder.path(source)), host: "example.com"))
    guard case .made(let made) = answer else {
      Issue.record("\(answer)")
      return []
    }
    return try files.indices.map { index in
      let path = folder.path("\(index).\(files[index].encoding.format.rawValue)")
      try Data(try made.bytes(of: index)).write(to: URL(filePath: path))
      return try Pixels(path)
    }
  }

  /// The likeness of two images of one size, in dB (PSNR).
  private func likeness(_ one: [UInt8], _ other: [UInt8]) throws -> Double {
    try #require(one.count == other.count)
    let squares = zip(one, other).reduce(0) { sum, pair in
      let difference = Int(pair.0) - Int(pair.1)
      return sum + difference * difference
    }
    return 10 * log10(255 * 255 * Double(one.count) / Double(max(1, squares)))
  }

  /// libwebp keeps 96 levels of alpha at 80 and 16 at 70, in files of ours and of libvips' saver.
  @Test(arguments: [MetadataPolicy.strip, .xmp])
  func alphaQualityLimitsTheLevelsOfAlpha(metadata: MetadataPolicy) async throws {
    let qualities = [nil, 80, 70]
    try Data(Places.bytes("transparent.png")).write(to: URL(filePath: folder.path("a.png")))
    let files = qualities.map { quality in
      var file = file(200, 150)
      file.encoding.metadata = metadata
      file.encoding.alphaQuality = quality
      return file
    }
    let size = Size(200, 150)
    let made = try await transcode("a.png", "png", of: size, alpha: true, base: size, files)
    let levels = made.map { image in
      Set(stride(from: 3, to: image.samples.count, by: 4).map { image.samples[$0] }).count
    }
    #expect(levels == [256, 96, 16])
  }

  /// Codecs reduce while they decode, and small files are made from larger ones. Neither may blur a
  /// file: it looks as if it was resized from the whole image in one step.
  @Test(arguments: [
    ("a.jpg[Q=95]", "jpeg", Size(80, 60), Size(80, 60), 40),
    ("a.webp[Q=95]", "webp", Size(200, 150), Size(200, 150), 40),
    // One step indeed: the next level, of 400 pixels, is not twice as large.
    ("a.png", "png", Size(800, 600), Size(380, 285), 60),
  ])
  func filesAreAsSharpAsIfMadeInOneStep(
    _ source: String, _ format: String, _ base: Size, _ size: Size, _ least: Double
  ) async throws {
    // Rings that become finer towards the edges.
    try await Pixels.make(folder.path(source), width: 800, height: 600) { x, y in
      let (across, down) = (Double(x - 400), Double(y - 300))
      let value = Int(128 + 100 * cos((across * across + down * down) / 2_400))
      return [value, value, value]
    }
    let name = String(source.prefix { $0 != "[" })
    // Decoded whole.
    let whole = try Pixels(folder.path(name))
    let expected = Lanczos.resample(
      whole.samples, bands: whole.bands, .init(800, to: size.width), .init(600, to: size.height))
    let made = try await transcode(
      name, format, base: base, [file(size.width, size.height, .png)])
    let likeness = try likeness(try #require(made.first).samples, expected)
    #expect(likeness > least, "\(likeness) dB")
  }

  /// Two crops of one size are two files.
  @Test func everyCropHasItsOwnPixels() async throws {
    try await Pixels.make(folder.path("a.png"), width: 800, height: 600) { x, _ in
      x < 400 ? [200, 0, 0] : [0, 0, 200]
    }
    let crops = [nil, 0, 700].map { (x: Int?) in
      var file = file(40, 30, .png)
      file.crop = x.map { Crop(x: $0, y: 0, size: Size(100, 75)) }
      return file
    }
    let made = try await transcode("a.png", "png", base: Size(800, 600), crops)
    #expect(made.map(\.mean) == [[100, 0, 100], [200, 0, 0], [0, 0, 200]])
  }
}
