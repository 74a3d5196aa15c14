// Stubs: the names of UIKit that Sources/Clients/ios uses, with their signatures. Nothing is run.
@_exported import CoreGraphics
import SwiftUI

public final class UIImage: @unchecked Sendable {
  public init(cgImage: CGImage) {}
}

@MainActor public class UITraitCollection {
  public var displayScale: CGFloat { 2 }
}

@MainActor public class UIView {
  public let traitCollection = UITraitCollection()
}

@MainActor public final class UIImageView: UIView {
  public var image: UIImage?
}

extension Image {
  public init(uiImage: UIImage) { fatalError() }
}

extension URLSessionConfiguration {
  /// As on Apple's systems; Foundation for Linux has one that is unavailable.
  public static func background(
    withIdentifier identifier: String, _ isStub: Bool = true
  ) -> URLSessionConfiguration { .default }
}
