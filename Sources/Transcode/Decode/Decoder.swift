internal import Glibc
internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWorkers

/// Decodes a source file into upright frames in memory, in 8-bit sRGB, grey or the source's own
/// profile.
struct Decoder {
  /// The source as its decoder sees it.
  let facts: SourceFacts
  private let source: SourceData
  private let job: TranscodeJob
  private let format: ImageFormat
  private let failOn: FailOn
  private let colours: ColourConversion
  /// The source in full size, as it was opened to read its header.
  private let opened: Raster
  /// For a file of a usual kind.
  private let lane: (any Lane)?
  /// Whether only the lane has opened the source: `opened` has no samples.
  let isDescribed: Bool
  /// Of one that libvips does not show as browsers do.
  private let animation: (any Animation)?
  /// Nil also if the job does not ask for it.
  let gainMap: GainMap?

  /// Opens the source, reads its header and checks the job's limits.
  init(_ source: SourceData, _ job: TranscodeJob, failOn: FailOn) throws(TranscodeFailure) {
    guard let format = ImageFormat(rawValue: job.format) else {
      throw TranscodeFailure(.decode, "no decoder for the format \"\(job.format)\"")
    }
    try StructureCheck.run(source, job, format, failOn)
    do throws(VipsError) {
      lane = Self.lane(for: source, job, format)
      if job.isWithoutMetadata, let described = try lane?.described() {
        (opened, isDescribed) = (described, true)
      } else {
        opened = try Self.open(source, job, format, failOn)
        isDescribed = false
      }
    } catch {
      throw TranscodeFailure(decoding: error.explained(by: source, format))
    }
    animation = Self.animation(source, format, opened)
    self.source = source
    self.job = job
    self.format = format
    self.failOn = failOn
    colours = ColourConversion(
      source: source, format: format, keepsProfile: job.decode.keepsProfile)
    let frames = try Self.frameCount(of: opened, animation, format, job)
    // 0: there is none that can be used.
    gainMap =
      job.decode.seeksGainMap && job.expected.headroom != 0 && format == .jpeg && !opened.isCMYK
      ? GainMap(of: source, job, orientation: opened.orientation) : nil
    facts = SourceFacts(
      size: animation.map { Size($0.width, $0.height) } ?? Self.size(of: opened),
      hasAlpha: opened.hasAlpha || animation?.leavesHoles == true, frames: frames,
      colourSpace: opened.colourSpace,
      profile: opened.blob(Raster.profileField).flatMap { ICCProfile($0).name },
      headroom: job.decode.seeksGainMap ? gainMap?.metadata.headroom ?? 0 : nil)
  }

  /// Whether the stored samples can be shown unchanged: upright, and in sRGB, grey or a profile
  /// that is kept.
  var isShownAsStored: Bool {
    animation == nil && opened.orientation <= 1 && colours.isIdentity(for: opened)
  }

  /// Whether the file is an animation in a format of which libvips decodes one image.
  var isStillOfAnimation: Bool {
    [.avif, .heic, .jxl].contains(format) && source.header?.isAnimated == true
  }

  /// What is not drawn of a drawing; nil if nothing, or for other formats.
  var missingOfDrawing: String? { format == .svg ? DrawingCheck.missing(in: source) : nil }

  /// How the image is displayed by its header, and how otherwise by the decoder; nil if they agree.
  var differenceFromHeader: String? {
    source.header.flatMap {
      Self.difference($0, facts.size, orientation: opened.orientation)
    }
  }

  /// - Parameter orientation: that the decoder leaves to be applied.
  static func difference(_ header: ImageHeader, _ shown: Size, orientation: Int) -> String? {
    // Some decoders have turned the image already.
    let rest = [.avif, .heic, .jxl].contains(header.format) ? 1 : header.orientation.rawValue
    guard header.width != shown.width || header.height != shown.height || rest != orientation else {
      return nil
    }
    return "\(header.width)x\(header.height) with orientation \(rest) by its header, "
      + "\(shown.width)x\(shown.height) with orientation \(orientation) by its decoder"
  }

  // MARK: Frames

  /// The frames, at the smallest size from which the largest output can be made.
  func frames(warnings: inout [SourceWarning]) throws(TranscodeFailure) -> [Raster] {
    do throws(VipsError) {
      return try base(warnings: &warnings)
    } catch {
      throw TranscodeFailure(decoding: error.explained(by: source, format))
    }
  }

  private func base(warnings: inout [SourceWarning]) throws(VipsError) -> [Raster] {
    if let base = try laneBase() { return [try finished(base, &warnings)] }
    let before = warnings
    do throws(VipsError) {
      return try frames(of: reopened(at: scale), warnings: &warnings)
    } catch {
      // libvips finds some kinds that it does not have only at their pixels.
      guard format == .tiff,
        let other = try? TIFFDecoder.decode(source, job.maximumPixels, failOn)
          .usual(format, source),
        other.width == opened.width, other.height == opened.height
      else { throw error }
      warnings = before
      return try frames(of: other, warnings: &warnings)
    }
  }

  private func frames(
    of loaded: Raster, warnings: inout [SourceWarning]
  ) throws(VipsError) -> [Raster] {
    let complete = try withUnreadMetadata(loaded)
    // The base is in displayed pixels; the pixels here are not turned yet.
    let target =
      loaded.swapsSides ? Size(job.decode.base.height, job.decode.base.width) : job.decode.base
    if job.decode.isAnimated {
      let converted = try colours.convert(complete, warnings: &warnings)
      return try Self.frames(of: converted, count: facts.frames, target: target)
    }
    // Fewer pixels to convert; resizing in the source's own RGB is as good as in sRGB.
    let convertsLast = complete.isEightBit && complete.isRGB
    let full = convertsLast ? complete : try colours.convert(complete, warnings: &warnings)
    let plain = try Self.withoutOpaqueAlpha(full)
    // In memory, because sequential decoding delivers rows only once and in order.
    let base = try plain.resized(width: target.width, height: target.height).inMemory()
    return [try convertsLast ? finished(base, &warnings) : Self.upright(base)]
  }

  /// Converted and upright. Turning needs rows in any order, so it comes last, when the image is small and in memory.
  private func finished(
    _ base: Raster, _ warnings: inout [SourceWarning]
  ) throws(VipsError) -> Raster {
    try Self.upright(colours.convert(base, warnings: &warnings).inMemory())
  }

  /// The base's size relative to the source's.
  private var scale: Double {
    Double(job.decode.base.longerSide) / Double(facts.size.longerSide)
  }

  /// The base through a lane, if the source is for it.
  private func laneBase() throws(VipsError) -> Raster? {
    // A profile of grey converts before the image is resized, as all but RGB.
    guard let lane, animation == nil, opened.isRGB || colours.isIdentity(for: opened) else {
      return nil
    }
    return try lane.decode(
      like: try withUnreadMetadata(opened), shrink: ShrinkOnLoad.factor(scale, of: facts.size),
      to: job.decode.base)
  }

  /// The source, loaded as cheaply as its decoder can if only a part of its size is needed.
  private func reopened(at scale: Double) throws(VipsError) -> Raster {
    if let animation {
      return try AnimationDecoder.decode(
        animation, like: opened, frames: job.decode.isAnimated ? animation.frames.count : 1,
        failOn: failOn)
    }
    switch format {
    case .jpeg:
      // Opening the file again costs little, because libvips has read only its header so far.
      let shrink = ShrinkOnLoad.factor(scale, of: facts.size)
      return shrink == 1 && !isDescribed
        ? opened
        : try Raster.load(source, format: format, .init(shrink: shrink, failOn: failOn))
    case .webp:
      return try Raster.load(
        source, format: format,
        .init(
          frames: job.decode.isAnimated ? -1 : 1,
          shrink: ShrinkOnLoad.factor(scale, of: facts.size), failOn: failOn))
    case .gif:
      // `opened` has all frames; for a still image one is enough.
      return job.decode.isAnimated
        ? opened : try Raster.load(source, format: format, .init(failOn: failOn))
    case .svg: return try Raster.load(source, format: format, .init(scale: scale, failOn: failOn))
    default:
      return isDescribed ? try Raster.load(source, format: format, .init(failOn: failOn)) : opened
    }
  }

  /// With metadata that libvips does not read, if any output keeps metadata.
  private func withUnreadMetadata(_ image: Raster) throws(VipsError) -> Raster {
    if job.files.allSatisfy({ $0.encoding.metadata.isEmpty }) { return image }
    return try image.with(UnreadMetadata(of: source, format)).withXMPExamined()
  }

  /// The largest image, in bytes, that is held in memory in full size to examine its alpha.
  private static let maximumBytes = 256 << 20

  private static func withoutOpaqueAlpha(_ image: Raster) throws(VipsError) -> Raster {
    guard image.hasAlpha, image.width * image.height * 4 <= maximumBytes else { return image }
    return try image.inMemory().withoutOpaqueAlpha()
  }

  /// Each frame is cut out and resized on its own: resized as one strip, the edges of one frame
  /// would bleed into the next.
  private static func frames(
    of strip: Raster, count: Int, target: Size
  ) throws(VipsError) -> [Raster] {
    let strip = try strip.inMemory().withoutOpaqueAlpha()
    let height = strip.height / count
    var frames: [Raster] = []
    for index in 0..<count {
      let frame = try strip.extracted(
        x: 0, y: index * height, width: strip.width, height: height)
      frames.append(
        try upright(try frame.resized(width: target.width, height: target.height).inMemory()))
    }
    return frames
  }

  private static func upright(_ image: Raster) throws(VipsError) -> Raster {
    image.orientation > 1 ? try image.turnedUpright().inMemory() : image
  }
}

extension TranscodeJob {
  /// Whether all files are WebP without any metadata: only the samples of the source count.
  fileprivate var isWithoutMetadata: Bool {
    files.allSatisfy { $0.encoding.format == .webp && !$0.encoding.keepsMetadata }
  }
}

/// How much of the reduction the codecs of JPEG and WebP do while decoding.
///
/// At least a factor of two is left to the resize, as vips_thumbnail does: otherwise the codec's
/// box filter would be visible. libwebp could scale by any number, but nothing makes up for what it loses between
/// whole samples.
enum ShrinkOnLoad {
  /// The shrink factor: 1, 2, 4 or 8.
  ///
  /// - Parameters:
  ///   - scale: the base's size relative to the source's, at most 1.
  ///   - size: the source's. At least eight samples of its shorter side remain: libvips 8.14 ends the
  ///     process if none does, and a few are not enough for a good file.
  static func factor(_ scale: Double, of size: Size) -> Int {
    let most = min(1 / scale / 2, Double(min(size.width, size.height)) / 8)
    return [8, 4, 2].first { Double($0) <= most } ?? 1
  }
}

/// What librsvg 2.54 leaves out of a drawing, or places otherwise than browsers.
enum DrawingCheck {
  /// A list for people; nil if nothing was found.
  static func missing(in source: SourceData) -> String? {
    var found = words.filter { place(of: $0, in: source.bytes, from: 0) != nil }
    if hasMediaRule(source.bytes) { found.insert("@media", at: 0) }
    if hasMarkerWithoutLine(source.bytes) { found.append("markers of paths without a line") }
    if hasInnerUnit(source.bytes) { found.append("lengths in units of print") }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }

  private static let words = ["dominant-baseline", "<foreignObject", "<textPath", "@font-face"]

  /// Rules for paper and for dark screens do not apply in browsers either.
  private static func hasMediaRule(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while let start = place(of: "@media", in: bytes, from: offset) {
      offset = start + 6
      let query = String(
        decoding: bytes[offset...].prefix(200).prefix { $0 != 0x7B }, as: UTF8.self)
      if !query.contains("print"), !query.contains("dark") { return true }
    }
    return false
  }

  /// libvips 8.14 tells librsvg of 72 pixels per inch, not 96.
  private static func hasInnerUnit(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let root = place(of: "<svg", in: bytes, from: 0) ?? 0
    let start = bytes[root...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
    let units: Set<[UInt8]> = Set(["mm", "cm", "in", "pt", "pc"].map { Array($0.utf8) })
    let ends = Set("\"'; }".utf8)
    return (start..<max(start, bytes.count - 3)).contains { place in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
        && ends.contains(bytes[place + 3])
        && units.contains(Array(bytes[(place + 1)...(place + 2)]))
    }
  }

  private static func hasMarkerWithoutLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while let start = place(of: "<path", in: bytes, from: offset) {
      let tag = bytes[start...].prefix { $0 != 0x3E }
      offset = tag.endIndex
      guard place(of: "marker-", in: bytes, from: start) ?? .max < offset,
        let data = [" d=\"", " d='"].compactMap({ place(of: $0, in: bytes, from: start) })
          .filter({ $0 < offset }).min()
      else { continue }
      let quote = bytes[data + 3]
      let commands = bytes[(data + 4)..<offset].prefix { $0 != quote }.filter { $0 | 32 >= 0x61 }
      // The letters of a path: only ones that move to a point (SVG 2, section 9.3).
      if !commands.isEmpty, commands.allSatisfy({ $0 | 32 == UInt8(ascii: "m") }) { return true }
    }
    return false
  }

  private static func place(
    of word: String, in bytes: UnsafeRawBufferPointer, from offset: Int
  ) -> Int? {
    let word = Array(word.utf8)
    guard let base = bytes.baseAddress else { return nil }
    var start = offset
    while start + word.count <= bytes.count,
      let found = memchr(base + start, Int32(word[0]), bytes.count - word.count + 1 - start)
    {
      start = UnsafeRawPointer(found) - base
      if memcmp(base + start, word, word.count) == 0 { return start }
      start += 1
    }
    return nil
  }
}

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
