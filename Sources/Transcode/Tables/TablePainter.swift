internal import TesseraCatalog
internal import TesseraPlan
package import TesseraWorkers

/// Makes a part of a table: decodes published files, and writes their pixels, or one atlas of all.
///
/// A file that cannot be decoded, or is not what the catalog says, is left out and reported: its place has zeros.
package struct TablePainter {
  private let source: SourceData
  private let job: TableJob

  /// - Parameter write: receives the pixels, entry by entry, or the encoded atlas.
  package static func perform(
    _ job: TableJob, of source: SourceData, into write: FileSink
  ) -> WorkerReply {
    do throws(TranscodeFailure) {
      return try TablePainter(source: source, job: job).run(into: write)
    } catch {
      return .failed(error)
    }
  }

  private func run(into write: FileSink) throws(TranscodeFailure) -> WorkerReply {
    var (leftOut, length): ([Int], Int) = ([], 0)
    if let atlas = job.atlas {
      var canvas = try AtlasCanvas(atlas)
      for (position, entry) in job.entries.enumerated() {
        let isMade = try decoded(entry) { raster throws(VipsError) in
          try canvas.draw(raster, x: entry.x, y: entry.y)
        }
        if !isMade { leftOut.append(position) }
      }
      // One more without them will follow.
      if leftOut.isEmpty {
        let atlas = try canvas.encoded()
        try write(atlas)
        length = atlas.count
      }
    } else {
      for (position, entry) in job.entries.enumerated() {
        var bytes = [UInt8](repeating: 0, count: job.entryBytes)
        let isMade = try decoded(entry) { raster throws(VipsError) in
          try paint(raster, into: &bytes)
        }
        if !isMade { leftOut.append(position) }
        try write(bytes)
        length += bytes.count
      }
    }
    return .table(TableResult(length: length, leftOut: leftOut))
  }

  private func paint(_ raster: Raster, into bytes: inout [UInt8]) throws(VipsError) {
    let row = TableRow(pixels: job.pixels, background: job.background)
    let (width, height) = (raster.width, raster.height)
    try raster.withSamples { samples, bands in
      for y in 0..<height {
        let start = y * job.rowBytes
        row.write(
          samples[(y * width * bands)...], bands: bands, count: width,
          to: &bytes[start..<start + job.rowBytes])
      }
    }
  }

  /// Decodes the first frame of an entry's file for `body`. Returns false if it cannot be decoded, or has another size
  /// than the catalog says.
  ///
  /// - Throws: ``TranscodeFailure`` if that may not be the file's fault.
  private func decoded(
    _ entry: TableJob.Entry, _ body: (Raster) throws(VipsError) -> Void
  ) throws(TranscodeFailure) -> Bool {
    let size = entry.size
    guard entry.offset >= 0, entry.length > 0, entry.offset <= source.bytes.count - entry.length,
      job.atlas != nil || job.fits(size)
    else { return false }
    let file = SourceData(
      UnsafeRawBufferPointer(
        rebasing: source.bytes[entry.offset..<entry.offset + entry.length]))
    do throws(TranscodeFailure) {
      let decoder = try Decoder(file, TranscodeJob(of: entry, job), failOn: .error)
      guard decoder.facts.size == size else { return false }
      var warnings: [SourceWarning] = []
      guard let frame = try decoder.frames(warnings: &warnings).first, frame.width == size.width,
        frame.height == size.height
      else { return false }
      do throws(VipsError) {
        try body(frame)
        return true
      } catch {
        throw TranscodeFailure(decoding: error)
      }
    } catch {
      guard error.code == .outOfMemory || error.code == .local else { return false }
      throw error
    }
  }
}

extension TableJob {
  /// Whether an image has room in an entry.
  fileprivate func fits(_ size: Size) -> Bool {
    let row = size.width.multipliedReportingOverflow(by: pixels.bytesPerPixel ?? 4)
    let all = rowBytes.multipliedReportingOverflow(by: size.height)
    return size.width > 0 && size.height > 0 && !row.overflow && row.partialValue <= rowBytes
      && !all.overflow && all.partialValue <= entryBytes
  }
}

extension TranscodeJob {
  /// The decoding of a published file as it is: one frame, in sRGB, by libvips.
  fileprivate init(of entry: TableJob.Entry, _ job: TableJob) {
    self.init(
      format: entry.format,
      expected: SourceFacts(size: entry.size, hasAlpha: false, frames: 1),
      decode: DecodePlan(base: entry.size, isAnimated: false, keepsProfile: false, lanes: .off),
      failOn: .error, maximumPixels: job.maximumPixels, maximumFrames: 1_000_000, files: [],
      placeholders: [])
  }
}

/// An image that others are drawn on, one beside the other.
struct AtlasCanvas {
  private let atlas: TableJob.Atlas
  private var samples: [UInt8]
  private var hasAlpha = false

  init(_ atlas: TableJob.Atlas) throws(TranscodeFailure) {
    let (bytes, overflow) = atlas.size.width.multipliedReportingOverflow(by: atlas.size.height)
    // libwebp's limit; a coordinator asks for much less.
    guard atlas.size.width > 0, atlas.size.height > 0, atlas.size.longerSide <= 16_383, !overflow
    else { throw TranscodeFailure(.encode, "an atlas of an impossible size") }
    self.atlas = atlas
    samples = [UInt8](repeating: 0, count: bytes * 4)
  }

  mutating func draw(_ raster: Raster, x: Int, y: Int) throws(VipsError) {
    let (width, height) = (raster.width, raster.height)
    guard x >= 0, y >= 0, x <= atlas.size.width - width, y <= atlas.size.height - height else {
      throw VipsError(message: "the image has no room in the atlas")
    }
    let row = TableRow(pixels: .webp, background: .white)
    let isTransparent = try raster.withSamples { source, bands in
      for line in 0..<height {
        let start = ((y + line) * atlas.size.width + x) * 4
        row.write(
          source[(line * width * bands)...], bands: bands, count: width,
          to: &samples[start..<start + width * 4])
      }
      return bands == 4
    }
    hasAlpha = hasAlpha || isTransparent
  }

  /// The atlas as a WebP file. Without alpha if no image has any: the space between images is black then.
  func encoded() throws(TranscodeFailure) -> [UInt8] {
    // libwebp does not report a failed allocation, see Encoder.
    guard AddressSpace.has(atlas.size.area * 20) else { throw .atlasMemory }
    do throws(VipsError) {
      let raster = try Raster.of(
        samples: hasAlpha ? samples : samples.enumerated().compactMap { $0 % 4 == 3 ? nil : $1 },
        width: atlas.size.width, height: atlas.size.height, bands: hasAlpha ? 4 : 3)
      if let bytes = try WebPStill.encode(
        raster, quality: atlas.quality, effort: atlas.effort)
      {
        return bytes
      }
    } catch {
      throw TranscodeFailure(encoding: error, format: "webp")
    }
    throw .atlasMemory
  }
}

extension TranscodeFailure {
  fileprivate static var atlasMemory: TranscodeFailure {
    TranscodeFailure(
      .outOfMemory, "encoding an atlas needed more memory than limits.memory allows")
  }
}

/// Converts samples of sRGB into the pixels of a table. In integers, so that every processor computes alike;
/// `Pipelines/CATALOG.md` has the formulas.
struct TableRow {
  let pixels: TablePixels
  let background: Colour

  /// - Parameters:
  ///   - samples: three bands, or four with alpha.
  ///   - count: of pixels.
  ///   - target: has room for them.
  func write(
    _ samples: UnsafeBufferPointer<UInt8>.SubSequence, bands: Int, count: Int,
    to target: inout ArraySlice<UInt8>
  ) {
    var (from, to) = (samples.startIndex, target.startIndex)
    for _ in 0..<count {
      let alpha = bands == 4 ? Int(samples[from + 3]) : 255
      let (red, green, blue) = (
        Int(samples[from]), Int(samples[from + 1]), Int(samples[from + 2])
      )
      switch pixels {
      case .bgra8:
        target[to] = Self.scaled(blue, alpha)
        target[to + 1] = Self.scaled(green, alpha)
        target[to + 2] = Self.scaled(red, alpha)
        target[to + 3] = UInt8(alpha)
      case .rgba8:
        target[to] = Self.scaled(red, alpha)
        target[to + 1] = Self.scaled(green, alpha)
        target[to + 2] = Self.scaled(blue, alpha)
        target[to + 3] = UInt8(alpha)
      case .rgb565, .grey8:
        let (r, g, b) = (
          Self.over(red, alpha, background.red), Self.over(green, alpha, background.green),
          Self.over(blue, alpha, background.blue)
        )
        if pixels == .grey8 {
          // The weights of ITU-R BT.709 in 256ths.
          target[to] = UInt8((54 * r + 183 * g + 19 * b + 128) >> 8)
        } else {
          let levels = ((r * 31 + 127) / 255, (g * 63 + 127) / 255, (b * 31 + 127) / 255)
          let packed = levels.0 << 11 | levels.1 << 5 | levels.2
          target[to] = UInt8(packed & 255)
          target[to + 1] = UInt8(packed >> 8)
        }
      case .webp:
        // An encoder takes alpha apart from the colours.
        target[to] = samples[from]
        target[to + 1] = samples[from + 1]
        target[to + 2] = samples[from + 2]
        target[to + 3] = UInt8(alpha)
      }
      from += bands
      to += pixels.bytesPerPixel ?? 4
    }
  }

  private static func scaled(_ colour: Int, _ alpha: Int) -> UInt8 {
    UInt8((colour * alpha + 127) / 255)
  }

  private static func over(_ colour: Int, _ alpha: Int, _ background: UInt8) -> Int {
    (colour * alpha + Int(background) * (255 - alpha) + 127) / 255
  }
}
