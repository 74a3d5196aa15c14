/// The picture formats that Tessera can name by their first bytes.
///
/// The raw value is the name used in the pipeline file, the catalog and `probe --json`.
package enum ImageFormat: String, Sendable, CaseIterable {
  case jpeg, png, gif, webp, bmp, tiff, heic, avif, jxl, jp2, ico, psd, svg, qoi, pnm, dds, tga
  case exr, icns

  /// Whether Tessera decodes the format. Of the others it tells the size alone.
  package var isDecoded: Bool {
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
    case .dds: "image/vnd.ms-dds"
    case .tga: "image/x-tga"
    case .exr: "image/x-exr"
    case .icns: "image/x-icns"
    default: "image/\(rawValue)"
    }
  }

  /// The format's name in a sentence.
  package var displayName: String {
    switch self {
    case .exr: "OpenEXR"
    case .gif, .png, .jpeg, .tiff, .bmp, .heic, .avif, .psd, .svg, .qoi, .pnm, .ico, .dds, .tga,
      .icns:
      rawValue.uppercased()
    case .webp: "WebP"
    case .jxl: "JPEG XL"
    case .jp2: "JPEG 2000"
    }
  }
}
