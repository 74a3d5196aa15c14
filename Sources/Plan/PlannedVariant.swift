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

extension PlannedVariant {
  /// Whether the files are the same. The reasons of their fallbacks do not count.
  func isSame(as other: PlannedVariant) -> Bool {
    size == other.size && crop == other.crop && isOriginal == other.isOriginal
      && files.elementsEqual(other.files) { $0.encoding == $1.encoding }
  }

  /// Takes over the reasons of an equal variant if it has more.
  ///
  /// One request may exceed the limit of a format while another one just meets it. Both get the
  /// same file, and the file has the reasons of the former.
  mutating func addReasons(of other: PlannedVariant) {
    for (index, file) in other.files.enumerated() {
      let old = files[index].fallback?.reasons.count ?? 0
      let new = file.fallback?.reasons.count ?? 0
      if new > old { files[index].fallback = file.fallback }
    }
  }

  /// The order of variants: the smallest first. Everything else breaks ties, so that the order is
  /// total and does not depend on the order of slots and scales.
  func precedes(_ other: PlannedVariant) -> Bool {
    if size.area != other.size.area { return size.area < other.size.area }
    if size.width != other.size.width { return size.width < other.size.width }
    return ties.lexicographicallyPrecedes(other.ties)
  }

  private var ties: [Int] {
    let place: [Int] =
      switch crop?.place {
      case nil: [-1, -1]
      case .found: [-2, -2]
      case .at(let x, let y): [x, y]
      }
    return place + [isOriginal ? 1 : 0, crop?.size.width ?? 0, crop?.size.height ?? 0]
      + files.map(\.encoding.format.index)
  }
}
