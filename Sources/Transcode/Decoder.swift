internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraWire

/// From a source's file to upright 8-bit sRGB (or grey) frames in memory.
struct Decoder {
  /// What the source is, as its decoder sees it.
  let facts: SourceFacts
  private let job: TranscodeJob
  private let format: ImageFormat
  /// The source as it was opened to look at: its first frame in full size.
  private let opened: Picture
  /// Of a drawing: what libvips has to scale it by for its size to be in CSS pixels. With libvips 8.14 the
  /// size depends on the unit that the drawing tells it in.
  private var drawingScale = 1.0

  private let failOn: FailOn

  /// Opens the source and looks at its header, and whether it is within its limits.
  init(_ job: TranscodeJob, failOn: FailOn) throws(TranscodeFailure) {
    guard let format = ImageFormat(rawValue: job.format) else {
      throw TranscodeFailure(.decode, "there is no decoder for the format \"\(job.format)\"")
    }
    self.job = job
    self.format = format
    self.failOn = failOn
    try Self.examine(job, format, failOn)
    do throws(VipsError) {
      // All frames of what may move, since only then libvips knows whether any of them is translucent.
      let first = try Picture.load(
        job.source, format: format,
        .init(frames: -1, failOn: failOn, maximumPixels: job.maximumPixels))
      if format == .svg, first.width != job.expected.size.width {
        drawingScale = Double(job.expected.size.width) / Double(first.width)
        opened = try Picture.load(
          job.source, format: format, .init(scale: drawingScale, failOn: failOn))
      } else {
        opened = first
      }
    } catch {
      throw TranscodeFailure(decoding: error)
    }
    let frames = format.hasFrames ? opened.frameCount : 1
    guard frames <= job.maximumFrames else { throw Self.tooManyFrames("\(frames)", job) }
    let pixels = opened.width * opened.pageHeight * frames
    guard pixels <= job.maximumPixels else {
      throw TranscodeFailure(
        .tooManyPixels,
        "the picture has \(pixels) pixels in \(frames) frames; limits.pixels allows "
          + "\(job.maximumPixels)")
    }
    let size = Size(opened.width, opened.pageHeight)
    facts = SourceFacts(
      size: opened.swapsSides ? Size(size.height, size.width) : size,
      hasAlpha: opened.hasAlpha, frames: frames, colourSpace: opened.colourSpace,
      profile: opened.blob(Picture.profileField).flatMap { ProfileName.of($0) })
  }

  /// More scans than any camera or program writes: each costs a pass over the whole picture.
  private static let mostScans = 100

  /// What libvips would not refuse, or not in time.
  private static func examine(
    _ job: TranscodeJob, _ format: ImageFormat, _ failOn: FailOn
  ) throws(TranscodeFailure) {
    guard format == .gif || format == .jpeg || format == .webp else { return }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.read(job.source, limit: 1 << 31)
    } catch {
      throw TranscodeFailure(.local, error.description)
    }
    if format == .gif, failOn != .none, !GIFStructure.isWhole(bytes.span) {
      throw TranscodeFailure(.decode, "the picture could not be decoded: the GIF file is cut off")
    }
    if format == .jpeg, JPEGStructure.scans(bytes.span, limit: mostScans + 1) > mostScans {
      throw TranscodeFailure(
        .tooManyScans,
        "the JPEG has more than \(mostScans) scans, each of which is a decode by itself")
    }
    let most = job.maximumFrames
    if format == .webp, WebPStructure.frames(bytes.span, limit: most + 1) > most {
      throw tooManyFrames("more than \(most)", job)
    }
  }

  private static func tooManyFrames(_ count: String, _ job: TranscodeJob) -> TranscodeFailure {
    TranscodeFailure(
      .tooManyFrames,
      "the picture has \(count) frames; limits.frames allows \(job.maximumFrames)")
  }

  /// The frames, at the smallest size that the largest output can be made from.
  func frames(warnings: inout [String]) throws(VipsError) -> [Picture] {
    let scale = Double(job.decode.base.longerSide) / Double(facts.size.longerSide)
    let loaded = try reopened(at: scale)
    let coloured = try coloured(described(loaded), warnings: &warnings)
    // Stored sides, before turning.
    let target =
      loaded.swapsSides ? Size(job.decode.base.height, job.decode.base.width) : job.decode.base
    if job.decode.isAnimated {
      return try Self.frames(of: coloured, count: facts.frames, target: target)
    }
    // Sequential decoding ends here: what comes after may ask for pixels in any order.
    let plain = try Self.withoutOpaqueAlpha(coloured)
    let base = try plain.resized(width: target.width, height: target.height).inMemory()
    return [base.orientation > 1 ? try base.turnedUpright().inMemory() : base]
  }

  /// With what of the metadata is asked for and was not read.
  private func described(_ picture: Picture) throws(VipsError) -> Picture {
    guard job.outputs.contains(where: { !$0.file.encoding.metadata.isEmpty }) else {
      return picture
    }
    let metadata: UnreadMetadata
    do throws(SystemError) {
      metadata = try UnreadMetadata(of: job.source, format)
    } catch {
      throw VipsError(message: error.description)
    }
    return try picture.with(metadata).withXMPRead()
  }

  /// The source as its decoder gives it most cheaply where a part of its size will do.
  private func reopened(at scale: Double) throws(VipsError) -> Picture {
    switch format {
    case .jpeg:
      let shrink = Self.jpegShrink(scale)
      return shrink == 1
        ? opened
        : try Picture.load(job.source, format: format, .init(shrink: shrink, failOn: failOn))
    case .webp:
      return try Picture.load(
        job.source, format: format,
        .init(frames: job.decode.isAnimated ? -1 : 1, scale: Self.webpScale(scale), failOn: failOn))
    case .gif:
      return job.decode.isAnimated
        ? opened : try Picture.load(job.source, format: format, .init(failOn: failOn))
    case .svg:
      return scale == 1
        ? opened
        : try Picture.load(
          job.source, format: format, .init(scale: scale * drawingScale, failOn: failOn))
    default: return opened
    }
  }

  /// The largest picture, in bytes, that is kept in memory to look at its alpha.
  private static let mostBytes = 256 << 20

  private static func withoutOpaqueAlpha(_ picture: Picture) throws(VipsError) -> Picture {
    guard picture.hasAlpha, picture.width * picture.height * 4 <= mostBytes else { return picture }
    return try picture.inMemory().withoutOpaqueAlpha()
  }

  /// Each frame is cut out and resized by itself: resized as one strip, the edges of one frame would
  /// bleed into the next.
  private static func frames(
    of strip: Picture, count: Int, target: Size
  ) throws(VipsError) -> [Picture] {
    let strip = try strip.inMemory().withoutOpaqueAlpha()
    let height = strip.height / count
    var frames: [Picture] = []
    for index in 0..<count {
      let frame = try strip.extracted(
        x: 0, y: index * height, width: strip.width, height: height)
      let resized = try frame.resized(width: target.width, height: target.height).inMemory()
      frames.append(resized.orientation > 1 ? try resized.turnedUpright().inMemory() : resized)
    }
    return frames
  }

  /// JPEG's shrink while decoding. At least a factor of two is left to the resize, as
  /// vips_thumbnail does: the codec's own box filter would be seen otherwise.
  private static func jpegShrink(_ scale: Double) -> Int {
    switch 1 / scale {
    case 16...: 8
    case 8..<16: 4
    case 4..<8: 2
    default: 1
    }
  }

  /// WebP's scaling while decoding, with the same margin of two.
  private static func webpScale(_ scale: Double) -> Double { min(1, scale * 2) }

  /// Whether the samples as they are stored are what is to be shown: upright, in sRGB or grey, or in a profile
  /// that is kept.
  var isShownAsStored: Bool {
    opened.orientation <= 1
      && (opened.profileLength > 0 ? staysInProfile(opened) : opened.isGreyOrSRGB)
  }

  private func staysInProfile(_ picture: Picture) -> Bool {
    job.decode.keepsProfile && picture.hasUsableProfile && picture.isRGB
      && picture.profileLength <= Self.longestProfile
  }

  /// No camera's or printer's profile comes near this many bytes.
  private static let longestProfile = 4 << 20

  /// 8-bit sRGB or grey, whatever came in; or 8 bits in the source's own profile, where that is to be kept
  /// and says how to show red, green and blue: of grey there are formats that have none. A profile that can't be used is a warning: the
  /// colours are then what they would be without it.
  private func coloured(
    _ picture: Picture, warnings: inout [String]
  ) throws(VipsError) -> Picture {
    guard picture.profileLength > 0 else {
      guard try isInDisplayP3() else { return try Self.withoutProfile(picture) }
      return try picture.transformedToSRGB(from: .p3).withoutField(Picture.profileField)
    }
    guard picture.hasUsableProfile else {
      warnings.append("the colour profile is damaged, or for another kind of picture")
      return try Self.withoutProfile(picture.withoutField(Picture.profileField))
    }
    // What is kept depends on the pipeline, so it is no warning: that would be told of the content for ever.
    if staysInProfile(picture) { return try picture.inEightBits() }
    do throws(VipsError) {
      return try picture.transformedToSRGB(from: .embedded).withoutField(Picture.profileField)
    } catch {
      warnings.append("the colour profile could not be used: \(error.message)")
    }
    return try Self.withoutProfile(picture.withoutField(Picture.profileField))
  }

  /// Whether an AVIF or HEIC tells its colours as Display P3 by numbers alone, which libvips does not look
  /// at.
  private func isInDisplayP3() throws(VipsError) -> Bool {
    guard format == .avif || format == .heic else { return false }
    do throws(SystemError) {
      let file = try File(job.source, .read)
      return CodedColour.primaries(of: try file.read(64 << 10, at: 0)) == CodedColour.displayP3
    } catch {
      throw VipsError(message: error.description)
    }
  }

  private static func withoutProfile(_ picture: Picture) throws(VipsError) -> Picture {
    if picture.isCMYK {
      return try picture.transformedToSRGB(from: .inks).withoutField(Picture.profileField)
    }
    return picture.isGreyOrSRGB && picture.isEightBit ? picture : try picture.convertedToSRGB()
  }
}
