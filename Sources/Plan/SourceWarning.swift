/// What is wrong with a source that can be shown all the same.
package enum SourceWarning: Sendable, Equatable {
  /// The image is damaged, and was decoded as far as possible, because `fail-on` is at this level.
  case damaged(FailOn, detail: String)
  /// The colour profile is damaged, or made for another kind of image.
  case damagedProfile
  case unusableProfile(detail: String)
}

extension SourceWarning {
  /// A sentence without its full stop.
  package var sentence: String {
    switch self {
    case .damaged(let level, let detail):
      "the image is damaged and is shown as far as it can be decoded (fail-on: \(level.rawValue)): "
        + detail
    case .damagedProfile: "the colour profile is damaged or is for another kind of image"
    case .unusableProfile(let detail): "the colour profile cannot be used: \(detail)"
    }
  }
}
