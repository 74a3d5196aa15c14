internal import TesseraFiles
internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWire

/// From a source's file to upright 8-bit sRGB (or grey) frames in memory.
enum Decoder {
  /// What the source is, from its header alone, and whether it is within its limits.
  static func examine(_ job: TranscodeJob) throws(TranscodeFailure) -> SourceFacts {
    if job.format == "gif" { try examineGIF(job.source) }
    let picture: Picture
    do throws(VipsError) {
      // All frames, since only then libvips knows whether any of them is translucent.
      picture = try Picture.load(job.source, format: job.format, .init(frames: -1))
    } catch {
      throw TranscodeFailure(decoding: error)
    }
    let frames = picture.frameCount
    guard frames <= job.maximumFrames else {
      throw TranscodeFailure(
        .tooManyFrames,
        "the picture has \(frames) frames; limits.frames allows \(job.maximumFrames)")
    }
    let pixels = picture.width * picture.pageHeight * frames
    guard pixels <= job.maximumPixels else {
      throw TranscodeFailure(
        .tooManyPixels,
        "the picture has \(pixels) pixels in \(frames) frames; limits.pixels allows "
          + "\(job.maximumPixels)")
    }
    let size = Size(picture.width, picture.pageHeight)
    return SourceFacts(
      size: picture.swapsSides ? Size(size.height, size.width) : size,
      hasAlpha: picture.hasAlpha, frames: frames)
  }

  private static func examineGIF(_ path: String) throws(TranscodeFailure) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.read(path, limit: 1 << 31)
    } catch {
      throw TranscodeFailure(.local, error.description)
    }
    guard GIFStructure.isWhole(bytes.span) else {
      throw TranscodeFailure(.decode, "the picture could not be decoded: the GIF file is cut off")
    }
  }

  /// The frames, at the smallest size that the largest output can be made from.
  static func decode(
    _ job: TranscodeJob, facts: SourceFacts, warnings: inout [String]
  ) throws(VipsError) -> [Picture] {
    let scale =
      Double(job.base.longerSide) / Double(facts.size.longerSide)
    let loaded = try Picture.load(
      job.source, format: job.format,
      .init(frames: job.isAnimated ? -1 : 1, shrink: jpegShrink(scale), scale: webpScale(scale)))
    let coloured = try inSRGB(loaded, warnings: &warnings)
    // Stored sides, before turning.
    let target = loaded.swapsSides ? Size(job.base.height, job.base.width) : job.base
    if job.isAnimated { return try frames(of: coloured, count: facts.frames, target: target) }
    // Sequential decoding ends here: what comes after may ask for pixels in any order.
    let base = try coloured.resized(width: target.width, height: target.height).inMemory()
    return [base.orientation > 1 ? try base.turnedUpright().inMemory() : base]
  }

  /// Each frame is cut out and resized by itself: resized as one strip, the edges of one frame would
  /// bleed into the next.
  private static func frames(
    of strip: Picture, count: Int, target: Size
  ) throws(VipsError) -> [Picture] {
    let strip = try strip.inMemory()
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

  /// 8-bit sRGB or grey, whatever came in. A profile that can't be used is a warning: the colours
  /// are then what they would be without it.
  private static func inSRGB(
    _ picture: Picture, warnings: inout [String]
  ) throws(VipsError) -> Picture {
    if picture.hasProfile {
      guard picture.hasUsableProfile else {
        warnings.append("the colour profile is damaged, or for another kind of picture")
        return try withoutProfile(picture)
      }
      do throws(VipsError) {
        return try picture.transformedToSRGB(embedded: true)
      } catch {
        warnings.append("the colour profile could not be used: \(error.message)")
      }
    }
    return try withoutProfile(picture)
  }

  private static func withoutProfile(_ picture: Picture) throws(VipsError) -> Picture {
    if picture.isCMYK { return try picture.transformedToSRGB(embedded: false) }
    return picture.isGreyOrSRGB && picture.isEightBit ? picture : try picture.convertedToSRGB()
  }
}
