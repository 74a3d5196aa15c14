// Stubs: the names of SwiftUI that Sources/TesseraUI and Sources/Clients/ios use, with their signatures. Nothing is run: with
// them, types are checked on Linux, where no module of Apple's systems can be built.
@_exported import CoreGraphics

@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
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
