internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWire

/// What is done with a source before its pixels are decoded.
extension Decoder {
  /// The size as it is displayed.
  static func size(
    of image: Raster, _ format: ImageFormat, _ expected: Size, _ drawingScale: Double
  ) -> Size {
    let size = Size(image.width, image.pageHeight)
    // libvips rounds a drawing's sides before it scales them, and again after that.
    let tolerance = Int((drawingScale == 1 ? 1 : 1 + drawingScale).rounded(.up))
    if format == .svg, abs(size.width - expected.width) <= tolerance,
      abs(size.height - expected.height) <= tolerance
    {
      return expected
    }
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
  ) throws(VipsError) -> (Raster, drawingScale: Double) {
    // All frames of an animation: only then does libvips know whether any of them has alpha.
    let first = try Raster.load(
      source, format: format,
      .init(frames: -1, failOn: failOn, maximumPixels: job.maximumPixels)
    ).usual(format, source)
    let expected = job.expected.size
    guard format == .svg, first.width != expected.width || first.height != expected.height else {
      return (first, 1)
    }
    // By the longer side, whose rounding changes less.
    let scale =
      expected.width >= expected.height
      ? Double(expected.width) / Double(first.width)
      : Double(expected.height) / Double(first.height)
    return (
      try Raster.load(source, format: format, .init(scale: scale, failOn: failOn)), scale
    )
  }

  static func animation(
    _ source: SourceData, _ format: ImageFormat, _ opened: Raster
  ) -> (any Animation)? {
    switch format {
    case .png: return APNG(source.bytes)
    case .gif where !opened.hasAlpha:
      let animation = GIFAnimation(
        source.bytes, width: opened.width, height: opened.pageHeight)
      guard let animation, animation.leavesHoles, animation.frames.count == opened.frameCount else {
        return nil
      }
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
    let pixels = image.width * image.pageHeight * frames
    guard pixels <= job.maximumPixels else {
      throw TranscodeFailure(
        .tooManyPixels,
        "the image has \(pixels) pixels in \(frames) frames; limits.pixels allows "
          + "\(job.maximumPixels)")
    }
    return frames
  }
}
