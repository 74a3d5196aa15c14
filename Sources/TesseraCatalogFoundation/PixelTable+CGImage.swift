#if canImport(CoreGraphics)
  public import CoreGraphics
  internal import TesseraCatalog

  extension PixelTable {
    /// An image over the file's memory, without a copy of its pixels: Core Graphics reads them when it draws. The
    /// image keeps the file mapped.
    ///
    /// - Returns: nil if the file does not have the image, or if Core Graphics does not draw its format (`TablePixels.rgb565`).
    public func cgImage(of id: String) -> CGImage? {
      guard let place = place(of: id), let layout = BitmapLayout(pixels) else { return nil }
      let pixels = pixels(at: place)
      guard let start = pixels.bytes.baseAddress else { return nil }
      // Released by Core Graphics, together with the mapping.
      let owner = Unmanaged.passRetained(self)
      guard
        let provider = CGDataProvider(
          dataInfo: owner.toOpaque(), data: start, size: pixels.bytes.count,
          releaseData: { owner, _, _ in
            if let owner { Unmanaged<PixelTable>.fromOpaque(owner).release() }
          })
      else {
        owner.release()
        return nil
      }
      return CGImage(
        width: pixels.width, height: pixels.height, bitsPerComponent: 8,
        bitsPerPixel: layout.bitsPerPixel, bytesPerRow: pixels.rowBytes, space: layout.space,
        bitmapInfo: layout.info, provider: provider, decode: nil, shouldInterpolate: true,
        intent: .defaultIntent)
    }
  }

  /// A format of pixels in the terms of Core Graphics.
  private struct BitmapLayout {
    let bitsPerPixel: Int
    let space: CGColorSpace
    let info: CGBitmapInfo

    init?(_ pixels: TablePixels) {
      let sRGB = CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB()
      let alphaFirst = CGImageAlphaInfo.premultipliedFirst.rawValue
      switch pixels {
      // Alpha is the first byte of the 32-bit number, which is stored with its last byte first.
      case .bgra8:
        (bitsPerPixel, space) = (32, sRGB)
        info = CGBitmapInfo(rawValue: alphaFirst | CGBitmapInfo.byteOrder32Little.rawValue)
      case .rgba8:
        (bitsPerPixel, space) = (32, sRGB)
        info = CGBitmapInfo(rawValue: CGImageAlphaInfo.premultipliedLast.rawValue)
      case .grey8:
        (bitsPerPixel, space) = (8, CGColorSpace(name: CGColorSpace.genericGrayGamma2_2) ?? sRGB)
        info = CGBitmapInfo(rawValue: CGImageAlphaInfo.none.rawValue)
      case .rgb565, .webp: return nil
      }
    }
  }
#endif
