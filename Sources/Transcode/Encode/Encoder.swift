internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWorkers

/// Encodes frames into a file in memory, with exactly the metadata that its policy keeps.
enum Encoder {
  /// - Parameter source: the source, if its encoded image may be reused.
  static func encode(
    _ frames: [Raster], as file: PlannedFile, orReuse source: ReusableSource? = nil
  ) throws(TranscodeFailure) -> [UInt8] {
    let pixels = frames.reduce(0) { $0 + $1.width * $1.height }
    let memory = file.encoding.format.encoderBytes(pixels)
    // libaom, x265, libjxl and libwebp do not report a failed allocation: they crash, or write half a
    // file.
    guard AddressSpace.has(memory) else { throw .encoderMemory }
    let prepared: Prepared
    let encoded: EncodedBytes
    do throws(VipsError) {
      if let bytes = try plain(frames, file),
        bytes.withUnsafeBytes({ file.matches(Span(_unsafeBytes: $0)) })
      {
        return source?.smaller(than: bytes, as: file) ?? bytes
      }
      prepared = try prepare(frames, for: file.encoding)
      encoded = try encode(prepared.image, file.encoding, strips: prepared.kept.isEmpty)
    } catch {
      throw TranscodeFailure(encoding: error, format: file.encoding.format.rawValue)
    }
    let clean = try encoded.withBytes { bytes throws(TranscodeFailure) in
      // The catalog states what is in the file, so the file is read back before it is published.
      guard file.matches(Span(_unsafeBytes: bytes)) else {
        throw AddressSpace.has(memory * 2) ? .damaged(file.encoding.format) : .encoderMemory
      }
      return try cleaned(bytes, prepared, file.encoding.format)
    }
    return source?.smaller(than: clean, as: file) ?? clean
  }

  /// The most common file: a WebP without metadata of a still image. Nil for every other, and if the
  /// encoder fails: libvips' saver then reports why.
  private static func plain(_ frames: [Raster], _ file: PlannedFile) throws(VipsError) -> [UInt8]? {
    let encoding = file.encoding
    guard encoding.format == .webp, encoding.metadata.isEmpty, encoding.background == nil,
      frames.count == 1, let quality = encoding.quality, let effort = encoding.effort
    else { return nil }
    let lossy = try WebPStill.encode(
      frames[0], quality: quality, effort: effort, alphaQuality: encoding.alphaQuality ?? 100)
    guard let lossy, file.mayBeLossless,
      let lossless = try WebPStill.lossless(frames[0]),
      lossless.count <= lossy.count
    else { return lossy }
    return lossless
  }

  /// An image ready for its encoder, and what its container needs afterwards.
  private struct Prepared {
    var image: Raster
    /// The kinds of metadata that the image has, among those the policy keeps.
    var kept: MetadataPolicy
    var xmp: [UInt8]
    /// JPEG XL only: libvips' saver does not write Exif.
    var exif: [UInt8]?
  }

  private static func prepare(
    _ frames: [Raster], for encoding: Encoding
  ) throws(VipsError) -> Prepared {
    var image = try Raster.stacked(frames)
    // The background is an sRGB colour, so the image that it shows through must be sRGB, too.
    if encoding.background != nil, image.hasAlpha {
      image = try image.onScreen().withoutField(Raster.profileField)
    }
    let kept: MetadataPolicy
    (image, kept) = try image.prepared(keeping: encoding.metadata, isAnimation: frames.count > 1)
    if let colour = encoding.background, image.hasAlpha {
      image = try image.flattened(red: colour.red, green: colour.green, blue: colour.blue)
    }
    let exif = encoding.format == .jxl && kept.contains(.exif) ? try image.exifBlock() : nil
    return Prepared(image: image, kept: kept, xmp: image.xmp, exif: exif)
  }

  private static func encode(
    _ image: Raster, _ encoding: Encoding, strips: Bool
  ) throws(VipsError) -> EncodedBytes {
    // The coordinator sends both for every format that has them; PNG has neither.
    let (quality, effort) = (encoding.quality ?? 0, encoding.effort ?? 0)
    return switch encoding.format {
    case .webp:
      try image.webp(
        quality: quality, effort: effort, alphaQuality: encoding.alphaQuality ?? 100)
    case .jpeg: try image.jpeg(quality: quality)
    case .png: try image.png()
    case .avif: try image.avif(quality: quality, effort: effort, strips: strips)
    case .jxl: try image.jxl(quality: quality, effort: effort, strips: strips)
    case .heic: try image.heic(quality: QualityCurve.x265(likeWebP: quality), strips: strips)
    }
  }

  private static func cleaned(
    _ bytes: UnsafeRawBufferPointer, _ prepared: Prepared, _ format: OutputFormat
  ) throws(TranscodeFailure) -> [UInt8] {
    guard
      let clean = OutputContainer.clean(
        bytes, format, keeping: prepared.kept, exif: prepared.exif, xmp: prepared.xmp)
    else {
      throw TranscodeFailure(
        .encode, "the encoded \(format.rawValue) file could not be read back")
    }
    return clean
  }
}

extension OutputFormat {
  /// The address space that the encoder needs besides the image. Measured with noise of 5 and 21 megapixels (libwebp 1.2.4,
  /// libaom 3.6, x265 3.5, libjxl 0.7).
  fileprivate func encoderBytes(_ pixels: Int) -> Int {
    switch self {
    case .webp: 17 * pixels
    case .avif: 25 * pixels
    // x265 starts threads for an image of any size, and hangs where there is no room for them.
    case .heic: 150_000_000 + 21 * pixels
    case .jxl: 70 * pixels
    case .jpeg: 6 * pixels
    // Twice the size of a file of noise.
    case .png: 10 * pixels
    }
  }
}

extension TranscodeFailure {
  fileprivate static var encoderMemory: TranscodeFailure {
    TranscodeFailure(.outOfMemory, "encoding needed more memory than limits.memory allows")
  }

  fileprivate static func damaged(_ format: OutputFormat) -> TranscodeFailure {
    TranscodeFailure(.encode, "the encoder produced a damaged \(format.rawValue) file")
  }
}

/// A source whose own encoded image may serve as an output, with cleaned metadata: encoded again at
/// its own size and format it could be larger, and would be worse.
struct ReusableSource {
  private let source: SourceData
  private let format: String
  private let size: Size
  private let isAnimated: Bool

  init(_ source: SourceData, _ job: TranscodeJob, _ facts: SourceFacts) {
    self.source = source
    format = job.format
    size = facts.size
    isAnimated = facts.frames > 1
  }

  /// The source's image with the metadata of an encoded result. Nil unless it is smaller than the
  /// result and shows the same.
  func smaller(
    than result: [UInt8], as file: PlannedFile
  ) -> [UInt8]? {
    guard file.crop == nil, file.size == size, file.encoding.format.rawValue == format,
      file.encoding.isAnimated == isAnimated, !file.encoding.hasGainMap
    else { return nil }
    let copy = result.withUnsafeBytes {
      OutputContainer.image(of: source.bytes, withMetadataOf: $0, file.encoding.format)
    }
    guard let copy, copy.count < result.count, file.matches(copy.span) else { return nil }
    return copy
  }
}

extension PlannedFile {
  /// Whether a file's header states the planned format and size.
  func matches(_ bytes: Span<UInt8>) -> Bool {
    guard case .header(let header) = ImageHeader.read(bytes, isWhole: true) else { return false }
    return header.format.rawValue == encoding.format.rawValue
      && header.width == size.width && header.height == size.height
  }
}
