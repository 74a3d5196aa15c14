/// Maps each format to its reader. The only file, besides ``Signature``, that knows all formats.
enum FormatTable {
  static func reader(of format: ImageFormat) -> any FormatReading.Type {
    switch format {
    case .jpeg: JPEGHeader.self
    case .png: PNGHeader.self
    case .gif: GIFHeader.self
    case .webp: WebPHeader.self
    case .bmp: BMPHeader.self
    case .tiff: TIFFHeader.self
    case .heic: HEICHeader.self
    case .avif: AVIFHeader.self
    case .jxl: JPEGXLHeader.self
    case .jp2: JPEG2000Header.self
    case .ico: ICOHeader.self
    case .psd: PSDHeader.self
    case .svg: SVGHeader.self
    case .qoi: QOIHeader.self
    case .pnm: PNMHeader.self
    case .dds: DDSHeader.self
    case .tga: TGAHeader.self
    case .exr: EXRHeader.self
    case .icns: ICNSHeader.self
    }
  }
}
