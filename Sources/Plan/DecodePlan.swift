/// How a source is decoded, once for all its files.
///
/// It shapes their bytes: each file is made from an image of the base's size, or of a half, a
/// quarter and so on of it.
package struct DecodePlan: Sendable, Hashable, Codable {
  /// The size of the whole image, as displayed; never larger than the source.
  package var base: Size
  /// Whether all frames are decoded, or only the first.
  package var isAnimated: Bool
  /// Whether colours stay in the profile of the source.
  package var keepsProfile: Bool
  /// Whether the usual sources are decoded by lanes of our own instead of libvips.
  package var lanes: Lanes
  /// Whether a gain map of the source is looked for. It shapes no file by itself.
  package var seeksGainMap = false

  package init(base: Size, isAnimated: Bool, keepsProfile: Bool, lanes: Lanes = .on) {
    self.base = base
    self.isAnimated = isAnimated
    self.keepsProfile = keepsProfile
    self.lanes = lanes
  }

  /// All of it in one line, which is part of the fingerprints of files.
  package var recipe: String {
    "base \(base.width)x\(base.height)" + (isAnimated ? "; all frames" : "")
      + (keepsProfile ? "; in its profile" : "") + (lanes == .off ? "; by libvips" : "")
  }
}

/// Whether the usual sources take lanes of our own, or all are decoded by libvips.
package enum Lanes: String, Sendable, Codable, CaseIterable {
  case on, off
}
