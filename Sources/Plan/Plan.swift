/// Which files one source needs, and which of them serves which slot at which scale.
package struct Plan: Sendable, Equatable {
  /// Distinct, smallest first.
  package var variants: [PlannedVariant]
  /// In the order of the settings.
  package var slots: [SlotPlan]
  /// How many formats were asked for.
  package var formatCount: Int

  package struct SlotPlan: Sendable, Equatable {
    package var slot: Slot
    /// The size of the picture in the layout, in points.
    package var layout: Size
    /// One request for each scale, in the order of the settings.
    package var requests: [Request]
  }

  package struct Request: Sendable, Equatable {
    package var scale: Int
    /// What was asked for, before rounding and before the source's own size ended it; in pixels.
    package var asked: Size
    /// An index into ``Plan/variants``.
    package var variant: Int
  }

  /// How a source is decoded for all of the files. To be taken from the plan for all slots, never from what
  /// happens to be missing just now: the same picture then has the same files, in whatever order they came
  /// to be asked for.
  package func decode(of source: Size) -> DecodePlan {
    DecodePlan(
      base: base(of: source), isAnimated: files.contains { $0.encoding.isAnimated },
      keepsProfile: files.contains { $0.encoding.metadata.contains(.icc) })
  }

  /// The size, at most the source's own, that the whole picture must be decoded at for the largest of
  /// the variants.
  private func base(of source: Size) -> Size {
    var best = (part: 0, whole: 1)
    for variant in variants {
      let part = variant.size.longerSide
      let whole = (variant.crop?.size ?? source).longerSide
      if part * best.whole > best.part * whole { best = (part, whole) }
    }
    guard best.part < best.whole else { return source }
    func scaled(_ side: Int) -> Int { max(1, roundedRatio(side, best.part, best.whole)) }
    return Size(scaled(source.width), scaled(source.height))
  }

  /// All files to make.
  package var files: [PlannedFile] { variants.flatMap(\.files) }

  /// Files that were asked for: one in each format for each request.
  package var asked: Int { slots.reduce(0) { $0 + $1.requests.count } * formatCount }

  /// Files that were asked for and need not be made, because another is the same.
  package var shared: Int { asked - files.count }
}
