internal import TesseraCatalog
internal import TesseraPlan
package import TesseraWire

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
