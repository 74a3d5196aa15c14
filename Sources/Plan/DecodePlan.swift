/// How a source is decoded, once for all its files.
///
/// It shapes their bytes: each file is made from an image of the base's size, or of a half, a
/// quarter and so on of it.
package struct DecodePlan: Sendable, Hashable {
  /// The size of the whole image, as displayed; never larger than the source.
  package var base: Size
  /// Whether all frames are decoded, or only the first.
  package var isAnimated: Bool
  /// Whether colours stay in the profile of the source.
  package var keepsProfile: Bool

  package init(base: Size, isAnimated: Bool, keepsProfile: Bool) {
    self.base = base
    self.isAnimated = isAnimated
    self.keepsProfile = keepsProfile
  }

  /// All of it in one line, which is part of the fingerprints of files.
  package var recipe: String {
    "base \(base.width)x\(base.height)" + (isAnimated ? "; all frames" : "")
      + (keepsProfile ? "; in its profile" : "")
  }
}
