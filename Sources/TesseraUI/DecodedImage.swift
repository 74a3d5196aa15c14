#if canImport(SwiftUI)
  public import CoreGraphics

  /// What is drawn of a file.
  ///
  /// `@unchecked Sendable`: an image of Core Graphics never changes.
  public struct DecodedImage: @unchecked Sendable {
    public let image: CGImage
  }
#endif
