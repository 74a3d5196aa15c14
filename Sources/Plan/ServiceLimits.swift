/// What an image service can make of a source, in a format, at a size: the one place that answers this. Planning asks it, and so
/// does whatever shows a URL of the service.
package struct ServiceLimits: Sendable, Equatable {
  /// Whether it crops. If not, a `clip` slot gets the whole image, covering the slot, and clients crop it.
  package var crops = true
  /// Whether it crops animations as well.
  package var cropsAnimations = true
  /// The longest side of a result, in pixels; a format that is missing has no limit but its own.
  package var longestSides: [OutputFormat: Int] = [:]
  /// The largest area of a result, in pixels; a format that is missing has no limit.
  package var areas: [OutputFormat: Int] = [:]
  /// The widths that it makes, ascending; empty for any. A request is rounded up to one of them.
  package var widths: [Int] = []
  /// The formats that it makes.
  package var formats: Set<OutputFormat> = []
  /// The most frames that a result has; nil for any. Without animations it is 1.
  package var frames: Int? = 1
  package var source = Source()

  /// What it reads. Nil means no limit.
  package struct Source: Sendable, Equatable {
    package var bytes: Int?
    /// Of one frame.
    package var pixels: Int?
    package var side: Int?
    package var frames: Int?
    /// Of all frames of an animation together.
    package var animationPixels: Int?
    /// As the catalog names them; empty for all.
    package var formats: Set<String> = []

    package init() {}
  }

  package init() {}

  /// Whether it reads a source. What is not known of the source is within the limits.
  package func reads(_ image: PlanSource) -> Bool {
    image.size.area <= source.pixels ?? .max && image.size.longerSide <= source.side ?? .max
      && image.bytes ?? 0 <= source.bytes ?? .max
      && (source.formats.isEmpty || image.container.map(source.formats.contains) ?? true)
      && (!image.isAnimated
        || image.frames <= source.frames ?? .max
          // Divided, because the product may not fit into 64 bits.
          && image.size.area <= (source.animationPixels ?? .max) / image.frames)
  }

  /// Whether the answer depends on how many frames a source has.
  ///
  /// - Parameter keepsAnimation: whether results are to have all of them.
  package func countsFrames(keepsAnimation: Bool) -> Bool {
    source.frames != nil || source.animationPixels != nil || keepsAnimation && frames != nil
  }

  /// Whether it makes an image of a source whole: with all frames, if these are to be kept.
  func makes(_ image: PlanSource, keepsAnimation: Bool) -> Bool {
    guard reads(image), keepsAnimation, image.isAnimated else { return reads(image) }
    // No service says that it keeps the frames of a PNG.
    return image.frames <= frames ?? .max && image.container != "png"
  }

  /// The longest side of a result of this shape; 0 in a format that it does not make.
  func longestSide(of shape: Size, in format: OutputFormat) -> Int {
    guard formats.contains(format) else { return 0 }
    let side = min(longestSides[format] ?? .max, format.longestSide)
    return min(side, areas[format].map { Self.longestSide(of: shape, area: $0) } ?? .max)
  }

  private static func longestSide(of shape: Size, area: Int) -> Int {
    let (longer, shorter) = (shape.longerSide, min(shape.width, shape.height))
    func fits(_ length: Int) -> Bool {
      length * max(1, roundedRatio(length, shorter, longer)) <= area
    }
    // L * (L * ratio - 1/2) <= area: no longer side fits, because the shorter one is rounded.
    let ratio = Double(shorter) / Double(longer)
    var length = Int((0.5 + (0.25 + 4 * ratio * Double(area)).squareRoot()) / (2 * ratio)) + 1
    while length > 1, !fits(length) { length -= 1 }
    return length
  }
}
