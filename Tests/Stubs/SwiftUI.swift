// The names of SwiftUI and Core Graphics that Sources/TesseraUI uses, with their signatures and without any function. With
// them its types are checked on Linux, where it can't be built: it is never run here.
@_exported import Foundation

public typealias CFData = NSData

public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> Either<First, Second> { fatalError() }
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> Either<First, Second> { fatalError() }
}

public struct Either<First: View, Second: View>: View {
  public var body: Never { fatalError() }
}

public struct Color: View {
  public static let gray = Color()
  public var body: Never { fatalError() }
  public func opacity(_ opacity: Double) -> Color { self }
}

public struct Text: View {
  public init(_ text: String) {}
  public var body: Never { fatalError() }
}

public struct Animation {
  public static func easeOut(duration: Double) -> Animation { Animation() }
}

public struct Transaction {
  public init(animation: Animation?) {}
}

public struct Image: View {
  public enum Interpolation { case medium }
  public init(decorative: CGImage, scale: CGFloat) {}
  public var body: Never { fatalError() }
  public func resizable() -> Image { self }
  public func interpolation(_ interpolation: Interpolation) -> Image { self }
}

public enum AsyncImagePhase {
  case empty
  case success(Image)
  case failure(any Error)
}

public struct AsyncImage<Content: View>: View {
  public init(
    url: URL?, scale: CGFloat = 1, transaction: Transaction,
    @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
  ) {}
  public var body: Never { fatalError() }
}

public struct EnvironmentValues {
  public var displayScale: CGFloat { 2 }
}

@propertyWrapper public struct Environment<Value> {
  public var wrappedValue: Value { fatalError() }
  public init(_ path: KeyPath<EnvironmentValues, Value>) {}
}

public struct Modified: View {
  public var body: Never { fatalError() }
}

public struct Alignment {
  public static let center = Alignment()
  public static let topLeading = Alignment()
}

extension View {
  public func frame(
    width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
  ) -> Modified { Modified() }
  public func offset(x: CGFloat = 0, y: CGFloat = 0) -> Modified { Modified() }
  public func clipped() -> Modified { Modified() }
  public func scaledToFill() -> Modified { Modified() }
  public func accessibilityLabel(_ label: Text) -> Modified { Modified() }
  public func accessibilityHidden(_ isHidden: Bool) -> Modified { Modified() }
}

// MARK: Core Graphics

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
