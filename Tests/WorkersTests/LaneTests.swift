import Foundation
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

/// What the lanes make, compared with the textbook and with what libvips makes of the same sources.
@Suite struct LaneTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// How many sources are compared.
  private static let count = isSoak ? 1_000 : 30

  /// A source, drawn at random.
  fileprivate struct Source {
    var width, height, orientation: Int
    var options: [String]
    var seed: UInt64

    var isTurned: Bool { orientation > 4 }
    var size: Size { isTurned ? Size(height, width) : Size(width, height) }

    init(seed: UInt64) {
      var dice = SplitMix(seed: seed)
      self.seed = seed
      (width, height) = (
        Int.random(in: 1...300, using: &dice), Int.random(in: 1...300, using: &dice)
      )
      orientation = Int.random(in: 1...8, using: &dice)
      let sampling = ["1x1", "2x1", "1x2", "2x2"].randomElement(using: &dice) ?? ""
      options = [
        "-quality", "\(Int.random(in: 70...98, using: &dice))", "-sample", sampling,
        "-optimize",
      ]
      if Bool.random(using: &dice) { options.append("-progressive") }
      if Int.random(in: 0..<5, using: &dice) == 0 { options.append("-grayscale") }
    }

    /// Waves and rectangles in many colours, with a little noise.
    var ppm: Data {
      var dice = SplitMix(seed: seed &+ 1)
      let waves = (0..<3).map { _ in
        (
          Double.random(in: 0.005...0.06, using: &dice),
          Double.random(in: 0.005...0.06, using: &dice)
        )
      }
      let boxes = (0..<6).map { _ in
        (
          Int.random(in: 0..<width, using: &dice), Int.random(in: 0..<height, using: &dice),
          (0..<3).map { _ in Int.random(in: -60...60, using: &dice) }
        )
      }
      var bytes = [UInt8]("P6 \(width) \(height) 255\n".utf8)
      for y in 0..<height {
        for x in 0..<width {
          let inside = boxes.filter { abs($0.0 - x) < width / 6 && abs($0.1 - y) < height / 6 }
          for band in 0..<3 {
            let wave = sin(Double(x) * waves[band].0 + Double(y) * waves[band].1)
            let noise = Int.random(in: -3...3, using: &dice)
            let value = 128 + Int(wave * 60) + inside.reduce(noise) { $0 + $1.2[band] }
            bytes.append(UInt8(clamping: value))
          }
        }
      }
      return Data(bytes)
    }
  }

  /// An Exif segment with an orientation and nothing else, right after the start of the file.
  private static func marked(_ jpeg: Data, _ orientation: Int) -> Data {
    let exif: [UInt8] =
      [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1]
      + [1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
    return jpeg.prefix(2) + Data(exif) + jpeg.dropFirst(2)
  }

  /// A PNG and a WebP that are made of `a.jpg`, in a size drawn at random.
  private func make(
    _ source: Source, _ pool: WorkerPool, _ lanes: Lanes
  ) async throws -> [Pixels] {
    var dice = SplitMix(seed: source.seed &+ 2)
    let scale = Double.random(in: 0.05...1, using: &dice)
    func side(_ length: Int, _ scale: Double) -> Int {
      max(1, Int((Double(length) * scale).rounded()))
    }
    let base = Size(side(source.size.width, scale), side(source.size.height, scale))
    let part = Bool.random(using: &dice) ? 0.5 : 1
    let (width, height) = (side(base.width, part), side(base.height, part))
    var planned = [file(width, height, .png), file(width, height, .webp)]
    planned[1].encoding.quality = 95
    var job = job(format: "jpeg", size: source.size, files: planned)
    job.decode.base = base
    job.decode.lanes = lanes
    let made = try await perform(job, pool)
    return try zip(made, ["png", "webp"]).map { bytes, kind in
      let path = folder.path("made.\(kind)")
      try Data(bytes).write(to: URL(filePath: path))
      return try Pixels(path)
    }
  }

  private func perform(_ job: TranscodeJob, _ pool: WorkerPool) async throws -> [[UInt8]] {
    let answer = try await pool.perform(
      job, of: JobSource(.file(path: folder.path("a.jpg")), host: "example.com"))
    guard case .made(let made) = answer else {
      Issue.record("\(answer)")
      return []
    }
    return try job.files.indices.map { try made.bytes(of: $0) }
  }

  private func compress(_ ppm: Data, _ options: [String]) async throws -> Data {
    let (source, result) = (folder.path("a.ppm"), folder.path("a.plain"))
    try ppm.write(to: URL(filePath: source))
    let made = try await Tool.run("/usr/bin/cjpeg", options + ["-outfile", result, source])
    try #require(made.status == 0, "\(made.errors)")
    return try Data(contentsOf: URL(filePath: result))
  }

  /// The mean difference of samples.
  private func difference(_ one: [UInt8], _ other: [UInt8]) throws -> Double {
    try #require(one.count == other.count)
    let sum = zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(one.count)
  }

  /// Decoded whole and resized in one step, in floating point: nothing is better than that. A PNG is
  /// nearly the same, and WebPs are as near to it as those that libvips makes.
  @Test func jpegsAreAsIfResizedFromTheWhole() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    var lossy = (ours: 0.0, theirs: 0.0)
    for seed in 0..<Self.count {
      let source = Source(seed: UInt64(seed) * 3)
      let plain = try await compress(source.ppm, source.options)
      try Self.marked(plain, source.orientation)
        .write(to: URL(filePath: folder.path("a.jpg")))
      let ours = try await make(source, pool, .on)
      let theirs = try await make(source, pool, .off)
      try #require(ours.count == 2 && theirs.count == 2, "\(source)")
      let whole = try Pixels(folder.path("a.jpg"))
      let (width, height) = (ours[0].width, ours[0].height)
      #expect((theirs[0].width, theirs[0].height) == (width, height), "\(source)")
      #expect(theirs[0].bands == ours[0].bands, "\(source)")
      let best = Lanczos.resample(
        source.upright(whole), bands: whole.bands, .init(source.size.width, to: width),
        .init(source.size.height, to: height))
      let distance = try difference(ours[0].samples, best)
      // libjpeg interpolates coarse chroma with another kernel, which shows at the edges of small
      // images.
      let isCoarse = whole.bands == 3 && !source.options.contains("1x1")
      let differs = isCoarse && min(source.width, source.height) < 100
      #expect(distance <= (differs ? 2.5 : 1), "\(distance): \(source)")
      guard whole.bands == 3 else { continue }
      lossy.ours += try difference(ours[1].samples, best)
      lossy.theirs += try difference(theirs[1].samples, best)
    }
    #expect(lossy.ours <= lossy.theirs * 1.01)
  }

  /// Kinds that the lane leaves to libvips: the files are the same with and without lanes.
  @Test(arguments: [
    ["-arithmetic"], ["-rgb"], ["-sample", "4x1"], ["-sample", "1x1,2x2,1x1"], ["-restart", "1"],
  ])
  func unusualJPEGsAreLeftToLibvips(_ options: [String]) async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    var source = Source(seed: 7)
    (source.width, source.height) = (160, 120)
    var plain = try await compress(source.ppm, options)
    if options == ["-restart", "1"] {
      // Damaged: a marker out of its turn.
      let marker = try #require(plain.lastRange(of: Data([0xFF, 0xD0])))
      plain[marker.lowerBound + 1] = 0xD5
    }
    try plain.write(to: URL(filePath: folder.path("a.jpg")))
    var job = job(
      format: "jpeg", size: Size(160, 120), files: [file(80, 60, .png), file(80, 60, .webp)])
    job.decode.base = Size(80, 60)
    job.failOn = .none
    let ours = try await perform(job, pool)
    job.decode.lanes = .off
    #expect(try await perform(job, pool) == ours)
    // The lane is not merely off: of the usual kind the files differ.
    try await compress(source.ppm, []).write(to: URL(filePath: folder.path("a.jpg")))
    let usual = try await perform(job, pool)
    job.decode.lanes = .on
    #expect(try await perform(job, pool) != usual)
  }

  /// Reduced while it is decoded, the shorter side would vanish: libvips 8.14 ends the process.
  @Test(arguments: Lanes.allCases)
  func aNarrowImageIsNotReducedToNothing(_ lanes: Lanes) async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    var source = Source(seed: 7)
    (source.width, source.height) = (7, 189)
    try await compress(source.ppm, []).write(to: URL(filePath: folder.path("a.jpg")))
    var job = job(format: "jpeg", size: Size(7, 189), files: [file(1, 10, .png)])
    job.decode.base = Size(1, 10)
    job.decode.lanes = lanes
    #expect(try await perform(job, pool).count == 1)
  }

  /// Some cameras write them before the last marker.
  @Test func surplusBytesDoNotMatter() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let source = Source(seed: 7)
    let plain = try await compress(source.ppm, [])
    var job = job(
      format: "jpeg", size: Size(source.width, source.height), files: [file(40, 30, .png)])
    job.decode.base = Size(40, 30)
    var files: [[UInt8]] = []
    for (bytes, lanes) in [
      (plain, Lanes.on), (plain.dropLast(2) + Data(repeating: 0, count: 50) + [0xFF, 0xD9], .on),
      (plain, .off),
    ] {
      try bytes.write(to: URL(filePath: folder.path("a.jpg")))
      job.decode.lanes = lanes
      files += try await perform(job, pool)
    }
    try #require(files.count == 3)
    #expect(files[0] == files[1] && files[0] != files[2])
  }

  // MARK: PNG

  private static let kinds = [
    "[filter=8]", "[filter=16]", "[filter=32]", "[filter=64]", "[filter=128]", "[filter=248]",
    "[palette]", "[palette,bitdepth=4]", "[palette,bitdepth=2]", "[palette,bitdepth=1]",
    "[interlace]", "[compression=0]",
  ]

  /// The same resampler follows either way of decoding, so the files are the same.
  @Test(arguments: kinds, 1...4)
  func pngsAreDecodedAsLibvipsDoes(_ options: String, _ bands: Int) async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let (width, height) = (67, 41)
    var dice = SplitMix(seed: UInt64(bands))
    for isOpaque in [true, false] where bands % 2 == 0 || isOpaque {
      let samples = (0..<width * height * bands).map { index -> UInt8 in
        if index % bands == bands - 1, bands % 2 == 0 {
          return isOpaque ? 255 : UInt8.random(in: 0...3, using: &dice) * 85
        }
        return UInt8(clamping: index / 29 % 256 + Int.random(in: 0...9, using: &dice))
      }
      try Data(samples).write(to: URL(filePath: folder.path("a.raw")))
      let interpretation = bands < 3 ? "b-w" : "srgb"
      for arguments in [
        ["rawload", "a.raw", "a.v", "\(width)", "\(height)", "\(bands)"],
        ["copy", "a.v", "a.png\(options)", "--interpretation", interpretation],
      ] {
        let made = try await Tool.run(
          "/usr/bin/env", ["-C", folder.path("."), "vips"] + arguments)
        try #require(made.status == 0, "\(made.errors)")
      }
      for size in [Size(width, height), Size(33, 20), Size(5, 3)] {
        try await expectTheSame(size, alpha: bands % 2 == 0, pool)
      }
    }
  }

  /// Broken in one place each: what libvips shows of it, or its message, is the answer.
  @Test func brokenPNGsAreLeftToLibvips() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let whole = try Places.bytes("transparent.png")
    let facts = try Pixels(Places.fixture("transparent.png").path)
    var dice = SplitMix(seed: 5)
    for _ in 0..<40 {
      var bytes = whole
      bytes[Int.random(in: 33..<bytes.count, using: &dice)] ^=
        1 << UInt8.random(in: 0..<8, using: &dice)
      try Data(bytes).write(to: URL(filePath: folder.path("a.png")))
      try await expectTheSame(
        Size(facts.width, facts.height), of: Size(facts.width, facts.height), alpha: true, pool)
    }
  }

  private func expectTheSame(
    _ size: Size, of source: Size = Size(67, 41), alpha: Bool, _ pool: WorkerPool
  ) async throws {
    var job = job(
      format: "png", size: source, alpha: alpha, files: [file(size.width, size.height, .png)])
    job.decode.base = size
    var answers: [[UInt8]] = []
    for (failOn, lanes) in [
      (FailOn.error, Lanes.on), (.error, .off), (.none, .on), (.none, .off),
    ] {
      job.failOn = failOn
      job.decode.lanes = lanes
      switch try await pool.perform(
        job, of: JobSource(.file(path: folder.path("a.png")), host: "example.com"))
      {
      case .made(let made): answers.append(try made.bytes(of: 0))
      case .failed(let failure): answers.append(Array(failure.message.utf8))
      case .differs(let facts): answers.append(Array("\(facts)".utf8))
      }
    }
    #expect(answers[0] == answers[1])
    #expect(answers[2] == answers[3])
  }
}

extension LaneTests.Source {
  /// The pixels as they are shown (Exif 2.32, 4.6.4 A).
  fileprivate func upright(_ whole: Pixels) -> [UInt8] {
    let mirrorsAcross = [2, 3, 7, 8].contains(orientation)
    let mirrorsDown = [3, 4, 6, 7].contains(orientation)
    var result: [UInt8] = []
    result.reserveCapacity(whole.samples.count)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (across, down) = isTurned ? (y, x) : (x, y)
        let row = mirrorsDown ? height - 1 - down : down
        let column = mirrorsAcross ? width - 1 - across : across
        let start = (row * width + column) * whole.bands
        result += whole.samples[start..<start + whole.bands]
      }
    }
    return result
  }
}
