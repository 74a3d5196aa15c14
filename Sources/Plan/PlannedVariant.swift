/// A part of a source at one size: a file in each of the configured formats.
package struct PlannedVariant: Sendable, Hashable {
  /// In the order of the settings, distinct, all of the same part and size. Never empty; the first
  /// is the preferred one.
  package var files: [PlannedFile]
  /// Whether the source itself is shown, because the image service can't make the image: its size is the source's, and its one
  /// file stands for it.
  package var isOriginal: Bool

  package init(files: [PlannedFile], isOriginal: Bool = false) {
    self.files = files
    self.isOriginal = isOriginal
  }

  /// Whether the image service can't make the image as large as it is needed, or at all.
  package var isLimited: Bool { files[0].fallback?.reasons.contains(.serviceLimit) ?? false }

  /// The part of the displayed image; nil means all of it.
  package var crop: Crop? { files[0].crop }
  package var size: Size { files[0].size }
}

/// One file to make.
package struct PlannedFile: Sendable, Hashable, Codable {
  /// The part of the displayed image; nil means all of it.
  package var crop: Crop?
  package var size: Size
  package var encoding: Encoding
  /// Why the file differs from the configuration; nil if it does not.
  package var fallback: Fallback?
  /// Whether the file is encoded without loss if that makes it no larger, as it does with many small graphics.
  package var mayBeLossless = false

  // A worker makes the planned file; why the plan deviates from the request is not its business.
  private enum CodingKeys: CodingKey { case crop, size, encoding, mayBeLossless }

  package init(crop: Crop?, size: Size, encoding: Encoding, fallback: Fallback?) {
    self.crop = crop
    self.size = size
    self.encoding = encoding
    self.fallback = fallback
  }

  /// One line with everything that shapes the file's bytes, apart from the source's bytes and the
  /// versions of the libraries. Two files of a source with the same line are the same.
  package var recipe: String {
    // The line is part of fingerprints that the state stores: a change remakes every file.
    var parts = ["\(encoding.format.rawValue) \(size.width)x\(size.height)"]
    if let crop { parts.append("crop \(crop)") }
    parts += encoding.recipe
    if mayBeLossless { parts.append("or lossless in 256 colours") }
    return parts.joined(separator: "; ")
  }

  /// The longest side of graphics that are worth an attempt without loss: above it few become smaller.
  private static let longestLossless = 256

  /// Has a small file of a graphic encoded without loss if that makes it no larger.
  mutating func allowLossless(of source: PlanSource) {
    mayBeLossless =
      encoding.format == .webp && !encoding.isAnimated && encoding.metadata.isEmpty
      && !source.isPhotograph && size.longerSide <= Self.longestLossless
  }
}

extension ServiceLimits {
  /// Whether it makes a file as it is planned.
  package func makes(_ file: PlannedFile, of image: PlanSource) -> Bool {
    let (width, isWhole) = (file.size.width, file.size.width == image.size.width)
    let isWidth = widths.isEmpty || widths.contains(width) || isWhole && width <= widths.last ?? 0
    let isCropped = file.crop != nil
    return makes(image, keepsAnimation: file.encoding.isAnimated)
      && (!isCropped || crops && (cropsAnimations || !file.encoding.isAnimated)) && isWidth
      && file.size.longerSide <= longestSide(of: file.size, in: file.encoding.format)
  }
}
