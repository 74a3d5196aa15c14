// Stubs: the names of Core Graphics that the libraries for apps use, with their signatures. Nothing is run.
@_exported import Foundation
// On Apple's systems a part of Foundation.
@_exported import FoundationNetworking

public typealias CFData = NSData
public typealias CFDictionary = NSDictionary
public typealias CFString = String

public final class CGDataProvider {
  public init?(data: CFData) {}
  public init?(
    dataInfo: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
    releaseData: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void
  ) {}
}

public final class CGColorSpace {
  public static let sRGB = "sRGB"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let genericGrayGamma2_2 = "grey"
  public init?(name: String) {}
  fileprivate init() {}
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }

public struct CGBitmapInfo: OptionSet {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
}

public enum CGImageAlphaInfo: UInt32 {
  case none = 0
  case premultipliedLast = 1
  case premultipliedFirst = 2
  case last = 3
}

public enum CGColorRenderingIntent { case defaultIntent }

public final class CGImage {
  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: CGBitmapInfo, provider: CGDataProvider,
    decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {}
}
