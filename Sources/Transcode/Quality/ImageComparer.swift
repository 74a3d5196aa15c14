internal import TesseraPlan
package import TesseraWorkers

/// Compares two files as they are shown: upright, in 8-bit sRGB, the first frame of an animation.
package struct ImageComparer {
  private let source: SourceData
  private let job: ComparisonJob

  package static func perform(_ job: ComparisonJob, of source: SourceData) -> WorkerReply {
    do throws(TranscodeFailure) {
      return try ImageComparer(source: source, job: job).run()
    } catch {
      return .failed(error)
    }
  }

  private func run() throws(TranscodeFailure) -> WorkerReply {
    let reference = try decoded(job.reference, "first", at: 0)
    let candidate = try decoded(job.candidate, "second", at: job.reference.length)
    var pyramid = ReferencePyramid(of: reference)
    do throws(QualityError) {
      return .comparison(Likeness(try pyramid.compare(with: candidate)))
    } catch {
      throw TranscodeFailure(.decode, error.description)
    }
  }

  private func decoded(
    _ image: ComparisonJob.Image, _ name: String, at offset: Int
  ) throws(TranscodeFailure) -> RGBImage {
    do throws(TranscodeFailure) {
      return try decoded(image, at: offset)
    } catch {
      throw TranscodeFailure(error.code, "of the two, the \(name): \(error.message)")
    }
  }

  private func decoded(
    _ image: ComparisonJob.Image, at offset: Int
  ) throws(TranscodeFailure) -> RGBImage {
    guard offset >= 0, image.length > 0, offset <= source.bytes.count - image.length else {
      throw TranscodeFailure(.local, "the files of a comparison are not complete")
    }
    let file = SourceData(
      UnsafeRawBufferPointer(rebasing: source.bytes[offset..<offset + image.length]))
    let decoder = try Decoder(file, TranscodeJob(of: image, job), failOn: .error)
    var warnings: [SourceWarning] = []
    guard let frame = try decoder.frames(warnings: &warnings).first else {
      throw TranscodeFailure(.decode, "the image has no frames")
    }
    do throws(VipsError) {
      return try frame.qualityRaster()
    } catch {
      throw TranscodeFailure(decoding: error)
    }
  }
}

extension TranscodeJob {
  /// The decoding of a whole file as it is: one frame, in sRGB, by libvips.
  fileprivate init(of image: ComparisonJob.Image, _ job: ComparisonJob) {
    self.init(
      format: image.format,
      expected: SourceFacts(size: job.size, hasAlpha: false, frames: 1),
      decode: DecodePlan(base: job.size, isAnimated: false, keepsProfile: false, lanes: .off),
      failOn: .error, maximumPixels: 1_000_000_000, maximumFrames: 1_000_000, files: [],
      placeholders: [])
  }
}

extension Likeness {
  init(_ comparison: Comparison) {
    let tile = comparison.worstTile
    self.init(
      score: comparison.score,
      worstTile: Tile(
        score: tile.score, x: tile.x, y: tile.y, size: Size(tile.width, tile.height)))
  }
}

extension Raster {
  /// The image as it is shown, for a comparison.
  func qualityRaster() throws(VipsError) -> RGBImage {
    let shown = try onScreen()
    let raster = try shown.withSamples { samples, bands in
      Result { () throws(QualityError) in
        try RGBImage(
          width: shown.width, height: shown.height, channels: bands, samples: Array(samples))
      }
    }
    do throws(QualityError) {
      return try raster.get()
    } catch {
      throw VipsError(message: error.description)
    }
  }
}
