/// How a source is decoded, once for all its files.
///
/// It is part of what shapes their bytes: each is made from a picture of the base's size, or of a half, a
/// quarter… of it.
package struct DecodePlan: Sendable, Hashable {
  /// Of the whole picture, as displayed; never larger than the source.
  package var base: Size
  /// Whether all frames are decoded, or the first alone.
  package var isAnimated: Bool
  /// Whether colours stay in the profile that the source has.
  package var keepsProfile: Bool

  package init(base: Size, isAnimated: Bool, keepsProfile: Bool) {
    self.base = base
    self.isAnimated = isAnimated
    self.keepsProfile = keepsProfile
  }

  /// One line that says all of it.
  package var recipe: String {
    "base \(base.width)x\(base.height)" + (isAnimated ? "; all frames" : "")
      + (keepsProfile ? "; in its profile" : "")
  }
}
