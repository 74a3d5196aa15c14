/// What the header of an image file states about the image.
///
/// Sizes are in pixels. `pixelWidth` and `pixelHeight` are as stored; `width` and `height` are as
/// displayed, after `orientation` is applied.
public struct ImageHeader: Sendable, Equatable {
  public var format: ImageFormat
  public var pixelWidth: Int
  public var pixelHeight: Int
  public var orientation: Orientation
  /// Whether pixels may be translucent.
  public var hasAlpha: Bool
  /// Whether there is more than one frame; nil if only the rest of the file would show it.
  public var isAnimated: Bool?
  /// The number of frames; nil if the header does not state it.
  public var frames: Int?
  public var bitsPerChannel: Int
  public var hasICCProfile: Bool
  /// AVIF, HEIC and JPEG 2000.
  package var coded = CodedSamples()

  init(
    format: ImageFormat, pixelWidth: Int, pixelHeight: Int, orientation: Orientation = .upright,
    hasAlpha: Bool = false, isAnimated: Bool? = false, bitsPerChannel: Int = 8,
    hasICCProfile: Bool = false
  ) {
    self.format = format
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.orientation = orientation
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.bitsPerChannel = bitsPerChannel
    self.hasICCProfile = hasICCProfile
  }

  public var width: Int { orientation.swapsSides ? pixelHeight : pixelWidth }
  public var height: Int { orientation.swapsSides ? pixelWidth : pixelHeight }
  /// The pixels of one frame; limits on decoding apply to this number.
  public var pixelCount: Int {
    // No side is longer than 2^31 - 1 (HeaderLimits.longestSide), so the product fits in 64 bits.
    pixelWidth * pixelHeight
  }
}

/// How to turn the stored pixels for display: the eight values of TIFF and Exif (Exif 2.32, tag
/// 0x0112). The raw value is the tag's.
public enum Orientation: Int, Sendable, CaseIterable {
  case upright = 1
  case mirrored
  case upsideDown
  case mirroredUpsideDown
  case mirroredTurnedLeft
  case turnedRight
  case mirroredTurnedRight
  case turnedLeft

  /// Whether display swaps width and height.
  public var swapsSides: Bool {
    // Values 5 to 8 are the quarter turns.
    rawValue >= 5
  }
}
