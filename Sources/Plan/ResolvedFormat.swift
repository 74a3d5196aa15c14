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

  /// Notes that the image service makes no image that is large enough, or none at all.
  mutating func limit() { reasons = [.serviceLimit] + reasons }

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

  /// One for each of the configured formats, without regard to their limits.
  static func unlimited(_ source: PlanSource, _ settings: PlanSettings) -> [ResolvedFormat] {
    let isAnimated = source.isAnimated && settings.keepsAnimation
    return settings.formats.map { choice in
      let asked = choice.format(for: source, isAnimated: isAnimated)
      return isAnimated ? ResolvedFormat(animated: asked) : ResolvedFormat(asked, [])
    }
  }

  /// What takes its place where it can't hold a still result, the preferred one first.
  func replacements(for source: PlanSource, _ settings: PlanSettings) -> [ResolvedFormat] {
    // A smaller animation is better than a still image.
    if source.isAnimated, settings.keepsAnimation, format.hasAnimation { return [] }
    var reasons = self.reasons + [.sizeLimit(format)]
    var found: [ResolvedFormat] = []
    for candidate in [settings.oversized, .png] where candidate != format {
      if Self.losesAlpha(candidate, format, source) {
        reasons.append(.noAlpha(candidate))
      } else {
        found.append(ResolvedFormat(candidate, reasons))
        reasons.append(.sizeLimit(candidate))
      }
    }
    return found
  }

  /// A configured format without alpha flattens its files anyway, so another one would lose nothing.
  private static func losesAlpha(
    _ candidate: OutputFormat, _ asked: OutputFormat, _ source: PlanSource
  ) -> Bool {
    source.hasAlpha && asked.hasAlpha && !candidate.hasAlpha
  }

  private init(_ format: OutputFormat, _ reasons: [Fallback.Reason]) {
    (self.format, self.reasons) = (format, reasons)
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
    // PNG is the last resort even if the result exceeds its limit as well.
    format = .png
    for candidate in [settings.oversized, .png] where candidate != asked {
      if Self.losesAlpha(candidate, asked, source) {
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

/// The formats in which an image service makes a result. Each has a limit of its own, which does not shrink the others: what can't
/// hold the result is left out, and if nothing can, `oversized` or PNG takes its place.
struct ServedFormats {
  /// The preferred one first. Not empty.
  let formats: [ResolvedFormat]
  /// The longest side that all of them can have, at least 1.
  let limit: Int
  /// Whether they hold the requested length. If not, they are those that hold the largest.
  let isWhole: Bool

  /// - Parameters:
  ///   - length: the longer side of the result, in pixels.
  ///   - shape: of the result.
  init(
    of length: Int, shape: Size, by service: ServiceLimits, source: PlanSource,
    settings: PlanSettings
  ) {
    func room(_ format: ResolvedFormat) -> Int {
      service.longestSide(of: shape, in: format.format)
    }
    let asked = ResolvedFormat.unlimited(source, settings)
    let others = asked.first?.replacements(for: source, settings) ?? []
    let wanted = min(length, (asked + others).map(room).max() ?? 0)
    let holding = asked.filter { room($0) >= wanted }
    formats = holding.isEmpty ? Array(others.filter { room($0) >= wanted }.prefix(1)) : holding
    limit = max(1, formats.map(room).min() ?? 1)
    isWhole = wanted == length
  }
}

extension PlanSettings {
  /// Whether the image service makes images of a source, and with all frames that are to be kept.
  func serves(_ source: PlanSource) -> Bool {
    let isMoving = ResolvedFormat.unlimited(source, self).contains(where: \.format.hasAnimation)
    return service?.makes(source, keepsAnimation: keepsAnimation && isMoving) ?? true
  }
}
