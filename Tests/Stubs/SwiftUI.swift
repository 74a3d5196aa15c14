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
}

public struct Text: View {
  public init(_ text: String) {}
  public var body: Never { fatalError() }
}

public struct Animation: Sendable {
  public static func easeOut(duration: Double) -> Animation { Animation() }
  public static func easeInOut(duration: Double) -> Animation { Animation() }
  public func repeatForever(autoreverses: Bool = true) -> Animation { self }
}

@MainActor public func withAnimation<Result>(
  _ animation: Animation?, _ body: () throws -> Result
) rethrows -> Result { try body() }

public struct Image: View {
  public enum Interpolation { case medium }
  public init(decorative: CGImage, scale: CGFloat) {}
  public init(systemName: String) {}
  public var body: Never { fatalError() }
  public func resizable() -> Image { self }
  public func interpolation(_ interpolation: Interpolation) -> Image { self }
}

public struct Button<Label: View>: View {
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
  public var body: Never { fatalError() }
}

@MainActor @propertyWrapper public struct State<Value> {
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public init(wrappedValue: Value) {}
}

extension State where Value: ExpressibleByNilLiteral {
  public init() {}
}

public struct EnvironmentValues {
  public var displayScale: CGFloat { 2 }
  public var accessibilityReduceMotion: Bool { false }
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
  public func opacity(_ opacity: Double) -> Modified { Modified() }
  public func padding(_ length: CGFloat) -> Modified { Modified() }
  public func overlay<Content: View>(@ViewBuilder _ content: () -> Content) -> Modified {
    Modified()
  }
  public func animation<Value: Equatable>(_ animation: Animation?, value: Value) -> Modified {
    Modified()
  }
  public func onAppear(_ action: @escaping @MainActor () -> Void) -> Modified { Modified() }
  public func onDisappear(_ action: @escaping @MainActor () -> Void) -> Modified { Modified() }
  public func task(_ action: @escaping @MainActor () async -> Void) -> Modified { Modified() }
  public func task<ID: Equatable>(
    id: ID, _ action: @escaping @MainActor () async -> Void
  ) -> Modified { Modified() }
  public func accessibilityHidden(_ isHidden: Bool) -> Modified { Modified() }
}
