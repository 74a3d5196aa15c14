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
