package import TesseraCatalog

/// What it is worth to add files of a better format to an image.
///
/// A fixed estimate from formats, sizes and bytes, so that the order of images does not depend on the machine.
package struct UpgradeValue: Sendable {
  /// Bytes that its views save, by the weights of its places.
  package let savedBytes: Double
  /// Of a worker, relative to encoding a pixel in WebP at an effort of 4.
  package let effort: Double

  package var perEffort: Double { savedBytes / effort }

  /// - Parameters:
  ///   - image: as its line of the catalog has it, with files of the configured formats.
  ///   - upgraded: the settings whose first format is the better one.
  /// - Returns: nil if the image has files of that format already, or others in their place.
  package init?(_ image: CatalogImage, _ upgraded: PlanSettings) {
    guard case .fixed(let format)? = upgraded.formats.first, let width = image.width,
      let height = image.height, !image.variants.isEmpty,
      !image.variants.contains(where: { $0.isMade(in: format) })
    else { return nil }
    let source = PlanSource(size: Size(width, height), hasAlpha: image.alpha == true)
    // Each request of a slot at a scale, as often as it is viewed.
    let weights = ViewWeights.ofFiles(
      image.variants.count, image.slots.mapValues(\.variants), upgraded)
    var (saved, pixels) = (0.0, 0.0)
    for (index, variant) in image.variants.enumerated() {
      let size = Size(variant.width, variant.height)
      guard size.longerSide <= format.longestSide, let file = variant.files.first,
        let bytes = file.bytes,
        let own = OutputFormat.allCases.first(where: { $0.mediaType == file.type })
      else { continue }
      let better =
        upgraded.estimatedBytes(size, format, of: source)
        / max(1, upgraded.estimatedBytes(size, own, of: source))
      pixels += Double(size.width) * Double(size.height)
      saved += weights[index] * Double(bytes) * max(0, 1 - better)
    }
    savedBytes = saved
    effort =
      pixels * format.work(upgraded.effort[format]) + Double(width) * Double(height) * Self.decoding
  }

  /// The work of decoding and reducing a pixel of a source.
  private static let decoding = 0.08
}

extension CatalogVariant {
  /// Whether it has a file in a format, or one in its place, which says so.
  fileprivate func isMade(in format: OutputFormat) -> Bool {
    files.contains { $0.type == format.mediaType }
      || fallback?.hasPrefix("\(format.rawValue)-") == true
  }
}
