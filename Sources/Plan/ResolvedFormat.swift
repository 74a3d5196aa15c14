/// The format of a file after fallbacks, and their reasons.
///
/// A format that cannot hold the result is replaced: the configured one by `oversized`, and that by
/// PNG if it would lose alpha that the configured format keeps, or if it cannot hold the result
/// either. An animation stays in its format, at that format's limit: a slightly smaller animation
/// is better than a still image.
struct ResolvedFormat {
  private(set) var format: OutputFormat
  var fallback: Fallback? { Fallback(reasons) }
  private var reasons: [Fallback.Reason] = []

  mutating func add(_ reason: Fallback.Reason) { reasons.append(reason) }

  /// One for each of the configured formats.
  ///
  /// - Parameter length: the longer side of the result, in pixels.
  static func all(of length: Int, source: PlanSource, settings: PlanSettings) -> [ResolvedFormat] {
    let isAnimated = source.isAnimated && settings.keepsAnimation
    let asked = settings.formats.map { $0.format(for: source, isAnimated: isAnimated) }
    guard isAnimated else {
      return asked.map { ResolvedFormat(of: length, $0, source: source, settings: settings) }
    }
    // If one of the files is an animation, its limit is that of all: they have one size.
    let moving = asked.map { ResolvedFormat(animated: $0) }
    let limit = moving.contains { $0.format.hasAnimation } ? OutputFormat.webp.longestSide : length
    return zip(asked, moving).map { asked, moving in
      var resolved = moving
      if !moving.format.hasAnimation {
        resolved = ResolvedFormat(
          of: min(length, limit), asked, source: source, settings: settings)
      }
      if length > limit { resolved.reasons.append(.sizeLimit(.webp)) }
      return resolved
    }
  }

  /// The format for an animated source, without regard to its size.
  private init(animated asked: OutputFormat) {
    format = asked.givesWayToAnimation ? .webp : asked
    if format != asked { reasons = [.noAnimation(asked)] }
  }

  /// The format for a still result.
  private init(
    of length: Int, _ asked: OutputFormat, source: PlanSource, settings: PlanSettings
  ) {
    format = asked
    guard length > asked.longestSide else { return }
    reasons.append(.sizeLimit(asked))
    // PNG is the last resort even if the result exceeds its limit as well. An image service that lacks it
    // makes a smaller image.
    let made = settings.service?.formats
    if made?.contains(.png) ?? true { format = .png }
    for candidate in [settings.oversized, .png]
    where candidate != asked && made?.contains(candidate) ?? true {
      // A configured format without alpha flattens its files anyway, so JPEG would lose nothing.
      if source.hasAlpha && asked.hasAlpha && !candidate.hasAlpha {
        reasons.append(.noAlpha(candidate))
      } else if length > candidate.longestSide {
        reasons.append(.sizeLimit(candidate))
      } else {
        format = candidate
        return
      }
    }
  }
}
