/// What a picture's first bytes say of it.
///
/// Sizes are in pixels. `pixelWidth` and `pixelHeight` are as stored; `width` and `height` are as
/// displayed, after `orientation`. Whether and how a picture moves is nil where the bytes that were
/// read do not tell.
public struct ImageHeader: Sendable, Equatable {
  public var format: ImageFormat
  public var pixelWidth: Int
  public var pixelHeight: Int
  public var orientation: Orientation
  /// Whether pixels may be translucent.
  public var hasAlpha: Bool
  /// Whether there is more than one frame; nil where only the rest of the file would tell.
  public var isAnimated: Bool?
  /// How many frames there are; nil where the header does not tell.
  public var frames: Int?
  public var bitsPerChannel: Int
  public var hasICCProfile: Bool

  init(
    format: ImageFormat, pixelWidth: Int, pixelHeight: Int, orientation: Orientation = .upright,
    hasAlpha: Bool = false, isAnimated: Bool? = false, bitsPerChannel: Int = 8,
    hasICCProfile: Bool = false
  ) {
    self.format = format
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.orientation = orientation
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.bitsPerChannel = bitsPerChannel
    self.hasICCProfile = hasICCProfile
  }

  public var width: Int { orientation.swapsSides ? pixelHeight : pixelWidth }
  public var height: Int { orientation.swapsSides ? pixelWidth : pixelHeight }
  /// Pixels of one frame: what limits on decoding go by. No side is over 2^31 - 1, so it fits.
  public var pixelCount: Int { pixelWidth * pixelHeight }
}

/// The answer to "what do these bytes say?".
public enum HeaderReading: Sendable, Equatable {
  case header(ImageHeader)
  /// Ask again when these bytes of the file are there, too. They may lie far ahead.
  case needs(Range<Int>)
  case refused(HeaderRefusal)
}

/// Why bytes are not a picture that Tessera can read.
public struct HeaderRefusal: Error, Sendable, Equatable {
  public enum Kind: String, Sendable {
    /// No picture at all: a web page, a JSON answer, text, nothing.
    case notImage = "not-image"
    /// It starts like a picture and then contradicts itself.
    case malformed
    /// The file ends before its size is told.
    case truncated
  }

  public var kind: Kind
  /// A clause that fits after "the file is": "an HTML page, not a picture".
  public var reason: String

  public init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension ImageHeader {
  /// Reads a picture's header from the first bytes of its file.
  ///
  /// - Parameters:
  ///   - bytes: the file's beginning, however much there is of it.
  ///   - isWhole: true where `bytes` is the whole file, so that asking for more is no use.
  ///   - isExact: whether to ask for more where the size is known, and what stands further on may
  ///     turn it: Exif behind a profile (PNG) or behind the pixels (WebP).
  ///     Otherwise what is at hand counts.
  /// - Returns: the header, which bytes it takes to know more, or why this is no picture. With
  ///   `isWhole` the answer is never ``HeaderReading/needs(_:)``.
  public static func read(
    _ bytes: Span<UInt8>, isWhole: Bool, isExact: Bool = true
  ) -> HeaderReading {
    let view = HeaderView(
      bytes, prefix: bytes.count, fileSize: isWhole ? bytes.count : nil, isExact: isExact)
    return read(view)
  }

  static func read(_ file: borrowing HeaderView) -> HeaderReading {
    var format: ImageFormat?
    do throws(HeaderStop) {
      format = try Signature.format(of: file)
      guard let format else { return .refused(Signature.refusal(of: file)) }
      let header = try read(file, as: format)
      guard header.pixelWidth > 0, header.pixelHeight > 0,
        header.pixelWidth <= HeaderLimits.longestSide,
        header.pixelHeight <= HeaderLimits.longestSide
      else {
        return .refused(
          .init(
            .malformed,
            "\(format.withArticle) picture of \(header.pixelWidth) x \(header.pixelHeight) pixels"))
      }
      // 128 is TIFF's pair of double numbers.
      guard (1...128).contains(header.bitsPerChannel) else {
        return .refused(
          .init(
            .malformed,
            "\(format.withArticle) picture with \(header.bitsPerChannel) bits a channel"))
      }
      return .header(header)
    } catch {
      switch error {
      case .needs(let range): return .needs(range)
      case .ended:
        let size = file.fileSize ?? 0
        return .refused(
          .init(.truncated, "cut off: it ends after \(size) bytes, before its size is told"))
      case .malformed(let reason):
        let name = format.map { "\($0.withArticle) picture" } ?? "a picture"
        return .refused(.init(.malformed, "\(name), but \(reason)"))
      }
    }
  }

  private static func read(
    _ file: borrowing HeaderView, as format: ImageFormat
  ) throws(HeaderStop) -> ImageHeader {
    switch format {
    case .jpeg: try JPEGHeader.read(file)
    case .png: try PNGHeader.read(file)
    case .gif: try GIFHeader.read(file)
    case .webp: try WebPHeader.read(file)
    case .bmp: try BMPHeader.read(file)
    case .tiff: try TIFFHeader.read(file)
    case .heic, .avif: try HEIFHeader.read(file, format: format)
    case .jxl: try JPEGXLHeader.read(file)
    case .jp2: try JPEG2000Header.read(file)
    case .ico: try ICOHeader.read(file)
    case .psd: try PSDHeader.read(file)
    case .svg: try SVGHeader.read(file)
    case .qoi: try QOIHeader.read(file)
    case .pnm: try PNMHeader.read(file)
    case .dds: try DDSHeader.read(file)
    case .tga: try TGAHeader.read(file)
    case .exr: try EXRHeader.read(file)
    case .icns: try ICNSHeader.read(file)
    }
  }
}
