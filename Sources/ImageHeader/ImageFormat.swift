/// The picture formats that Tessera can name by their first bytes.
///
/// The raw value is the name used in the pipeline file, the catalog and `probe --json`.
package enum ImageFormat: String, Sendable, CaseIterable {
  case jpeg, png, gif, webp, bmp, tiff, heic, avif, jxl, jp2, ico, psd, svg, qoi, pnm

  /// Whether this module reads the format's header. The others are only told apart, so that the
  /// answer to a TIFF is "a TIFF picture, which this version does not read" and not "no picture".
  package var isReadable: Bool {
    switch self {
    case .jpeg, .png, .gif, .webp: true
    default: false
    }
  }

  /// The media type registered with IANA, or the one in common use.
  package var mediaType: String {
    switch self {
    case .ico: "image/vnd.microsoft.icon"
    case .jxl: "image/jxl"
    case .pnm: "image/x-portable-anymap"
    case .psd: "image/vnd.adobe.photoshop"
    case .svg: "image/svg+xml"
    default: "image/\(rawValue)"
    }
  }

  /// The format's name in a sentence.
  package var displayName: String {
    switch self {
    case .gif, .png, .jpeg, .tiff, .bmp, .heic, .avif, .psd, .svg, .qoi, .pnm, .ico:
      rawValue.uppercased()
    case .webp: "WebP"
    case .jxl: "JPEG XL"
    case .jp2: "JPEG 2000"
    }
  }
}
