#if canImport(CoreGraphics)
  public import CoreGraphics
  import Foundation
  public import TesseraCatalog

  extension PlaceholderPixels {
    /// The pixels as an image that Core Graphics draws; nil if it has no memory.
    public var cgImage: CGImage? {
      guard let provider = CGDataProvider(data: Data(samples) as CFData) else { return nil }
      return CGImage(
        width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: width * 4,
        space: CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.last.rawValue), provider: provider,
        decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    }
  }
#endif
