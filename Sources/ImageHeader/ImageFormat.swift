/// The image formats that Tessera recognizes by their first bytes.
///
/// The raw value is the name in the pipeline file, in the catalog and in `probe --json`.
public enum ImageFormat: String, Sendable, CaseIterable {
  case jpeg, png, gif, webp, bmp, tiff, heic, avif, jxl, jp2, ico, psd, svg, qoi, pnm, dds, tga
  case exr, icns

  /// The media type registered with IANA, or the one in common use.
  public var mediaType: String { facts.mediaType }

  /// The format's name in a sentence: "JPEG XL".
  public var displayName: String { facts.name }

  /// The name with its article: "a PNG", "an AVIF".
  public var withArticle: String { "\(facts.article) \(facts.name)" }

  /// Whether Tessera decodes the format. Of the others it reports the size only.
  package var isDecoded: Bool { facts.isDecoded }

  /// Whether Tessera decodes all frames of an animation. Of the other formats libvips 8.14 decodes
  /// the first.
  package var hasFrames: Bool { self == .gif || self == .webp || self == .png }

  /// Whether files of the format are nearly always photographs: it loses detail that does not show. Not
  /// WebP, which is used for graphics as well.
  package var isForPhotographs: Bool {
    switch self {
    case .jpeg, .heic, .avif, .jxl, .jp2: true
    default: false
    }
  }
}

/// What is known of a format apart from how to read it: one row of the table of formats.
private struct FormatFacts {
  var article: String
  var name: String
  var mediaType: String
  var isDecoded: Bool

  init(_ article: String, _ name: String, _ mediaType: String, isDecoded: Bool = false) {
    self.article = article
    self.name = name
    self.mediaType = mediaType
    self.isDecoded = isDecoded
  }
}

extension ImageFormat {
  private var facts: FormatFacts {
    switch self {
    case .jpeg: FormatFacts("a", "JPEG", "image/jpeg", isDecoded: true)
    case .png: FormatFacts("a", "PNG", "image/png", isDecoded: true)
    case .gif: FormatFacts("a", "GIF", "image/gif", isDecoded: true)
    case .webp: FormatFacts("a", "WebP", "image/webp", isDecoded: true)
    case .bmp: FormatFacts("a", "BMP", "image/bmp", isDecoded: true)
    case .tiff: FormatFacts("a", "TIFF", "image/tiff", isDecoded: true)
    case .heic: FormatFacts("a", "HEIC", "image/heic", isDecoded: true)
    case .avif: FormatFacts("an", "AVIF", "image/avif", isDecoded: true)
    case .jxl: FormatFacts("a", "JPEG XL", "image/jxl", isDecoded: true)
    case .jp2: FormatFacts("a", "JPEG 2000", "image/jp2", isDecoded: true)
    case .ico: FormatFacts("an", "ICO", "image/vnd.microsoft.icon", isDecoded: true)
    case .psd: FormatFacts("a", "PSD", "image/vnd.adobe.photoshop")
    case .svg: FormatFacts("an", "SVG", "image/svg+xml", isDecoded: true)
    case .qoi: FormatFacts("a", "QOI", "image/qoi")
    case .pnm: FormatFacts("a", "PNM", "image/x-portable-anymap")
    case .dds: FormatFacts("a", "DDS", "image/vnd.ms-dds")
    case .tga: FormatFacts("a", "TGA", "image/x-tga")
    case .exr: FormatFacts("an", "OpenEXR", "image/x-exr")
    case .icns: FormatFacts("an", "ICNS", "image/x-icns")
    }
  }
}
