internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWorkers

/// What is done with a source before its pixels are decoded.
extension Decoder {
  /// The size as it is displayed.
  static func size(of image: Raster) -> Size {
    let size = Size(image.width, image.pageHeight)
    return image.swapsSides ? Size(size.height, size.width) : size
  }

  static func lane(
    for source: SourceData, _ job: TranscodeJob, _ format: ImageFormat
  ) -> (any Lane)? {
    guard job.decode.lanes == .on, !job.decode.isAnimated else { return nil }
    return switch format {
    case .jpeg: JPEGLane(source)
    case .png: PNGLane(source)
    default: nil
    }
  }

  static func open(
    _ source: SourceData, _ job: TranscodeJob, _ format: ImageFormat, _ failOn: FailOn
  ) throws(VipsError) -> Raster {
    // Its size is known, and it is drawn once, in the size that is needed.
    if format == .svg, let header = source.header {
      return try Raster.described(width: header.width, height: header.height, bands: 4)
    }
    // All frames of an animation: only then does libvips know whether any of them has alpha.
    return try Raster.load(
      source, format: format,
      .init(frames: -1, failOn: failOn, maximumPixels: job.maximumPixels)
    ).usual(format, source)
  }

  static func animation(
    _ source: SourceData, _ format: ImageFormat, _ opened: Raster
  ) -> (any Animation)? {
    switch format {
    case .png: return APNG(source.bytes)
    case .gif:
      let shown = source.header.map { Size($0.width, $0.height) } ?? size(of: opened)
      let isOther = shown != size(of: opened)
      guard isOther || !opened.hasAlpha,
        let animation = GIFAnimation(source.bytes, width: shown.width, height: shown.height),
        isOther || animation.leavesHoles, animation.frames.count == opened.frameCount
      else { return nil }
      return animation
    default: return nil
    }
  }

  /// The number of frames, if the image is within its limits.
  static func frameCount(
    of image: Raster, _ animation: (any Animation)?, _ format: ImageFormat, _ job: TranscodeJob
  ) throws(TranscodeFailure) -> Int {
    let frames = animation?.frames.count ?? (format.hasFrames ? image.frameCount : 1)
    // Before the pixels, so that their product cannot overflow: libvips limits sides to 10,000,000.
    guard frames <= job.maximumFrames else {
      throw .tooManyFrames("\(frames)", limit: job.maximumFrames)
    }
    let size = animation.map { Size($0.width, $0.height) } ?? size(of: image)
    let pixels = size.width * size.height * frames
    guard pixels <= job.maximumPixels else {
      throw TranscodeFailure(
        .tooManyPixels,
        "the image has \(pixels) pixels in \(frames) frames; limits.pixels allows "
          + "\(job.maximumPixels)")
    }
    return frames
  }
}
