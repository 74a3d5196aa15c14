extension Plan {
  /// Works out the fewest files that serve every slot at every scale.
  ///
  /// The rules are those of the design, section 3: a result's longer side is rounded up on the
  /// ladder; nothing is ever enlarged; equal results are one file; a side over the format's limit
  /// goes to another format. Neither the order of slots nor that of scales changes which files are
  /// made.
  ///
  /// - Parameter slots: names of the slots that this source is for; nil means all.
  package init(
    for source: PlanSource, settings: PlanSettings, slots names: [String]? = nil
  ) {
    let slots = settings.slots.filter { names?.contains($0.name) ?? true }
    var made: [PlannedVariant] = []
    var known: [PlannedVariant: Int] = [:]
    var slotPlans: [SlotPlan] = []
    for slot in slots {
      let frame = Frame(of: source, in: slot, gravity: settings.gravity)
      let requests = settings.scales.map { scale in
        let target = frame.target(of: slot, scale: scale)
        let variant = frame.variant(serving: target, of: source, settings: settings)
        let index = known[variant] ?? made.count
        if index == made.count {
          known[variant] = index
          made.append(variant)
        }
        return Request(scale: scale, asked: target.size, variant: index)
      }
      slotPlans.append(
        SlotPlan(slot: slot, layout: frame.target(of: slot, scale: 1).size, requests: requests))
    }
    let order = made.indices.sorted { made[$0].sortKey.lexicographicallyPrecedes(made[$1].sortKey) }
    var position = [Int](repeating: 0, count: made.count)
    for (new, old) in order.enumerated() { position[old] = new }
    for slot in slotPlans.indices {
      for request in slotPlans[slot].requests.indices {
        slotPlans[slot].requests[request].variant =
          position[slotPlans[slot].requests[request].variant]
      }
    }
    self.init(variants: order.map { made[$0] }, slots: slotPlans)
  }
}

/// The part of a source that a slot shows, and the shape it is shown in.
private struct Frame {
  /// The part in source pixels; nil is all of it.
  var crop: Crop?
  /// The size of that part: no variant is larger.
  var native: Size
  /// The shape of results, as a ratio of whole numbers. A crop takes it from the slot's points, so
  /// that all scales share one shape.
  var shape: Size

  init(of source: PlanSource, in slot: Slot, gravity: Gravity) {
    guard slot.mode == .clip, let width = slot.width, let height = slot.height else {
      (crop, native, shape) = (nil, source.size, source.size)
      return
    }
    shape = Size(width, height)
    native = source.size
    // Compare W/H with w/h without dividing.
    if source.size.width * height >= source.size.height * width {
      native.width = max(1, roundedRatio(source.size.height, width, height))
    } else {
      native.height = max(1, roundedRatio(source.size.width, height, width))
    }
    if native == source.size {
      crop = nil
    } else {
      let focus = source.focus ?? gravity.focus
      crop = Crop(
        x: Self.offset(of: native.width, in: source.size.width, focus: focus.x),
        y: Self.offset(of: native.height, in: source.size.height, focus: focus.y),
        size: native)
    }
  }

  private static func offset(of part: Int, in whole: Int, focus: Double) -> Int {
    let ideal = (focus * Double(whole) - Double(part) / 2).rounded(.down)
    return Int(min(max(0, ideal), Double(whole - part)))
  }

  /// What fills a slot's box exactly, whether the source has as many pixels or not.
  struct Target {
    var size: Size
    /// The longer side that a result must have to be no smaller on the side that the slot gives.
    /// Not that of `size`: where the other side would be less than a pixel, it is one there.
    var length: Int
  }

  func target(of slot: Slot, scale: Int) -> Target {
    let isWide = shape.width >= shape.height
    let byWidth = slot.width.map { width in
      let width = width * scale
      return Target(
        size: Size(width, max(1, roundedRatio(width, shape.height, shape.width))),
        length: isWide ? width : ceilingRatio(width, shape.height, shape.width))
    }
    let byHeight = slot.height.map { height in
      let height = height * scale
      return Target(
        size: Size(max(1, roundedRatio(height, shape.width, shape.height)), height),
        length: isWide ? ceilingRatio(height, shape.width, shape.height) : height)
    }
    guard let byWidth else { return byHeight ?? Target(size: native, length: native.longerSide) }
    guard let byHeight else { return byWidth }
    // Both sides are given: the tighter one rules what goes inside, the wider one what covers.
    // (For a crop the two are the same.)
    let widthIsTighter = byWidth.size.width * shape.height <= byHeight.size.height * shape.width
    return (slot.mode == .fill) != widthIsTighter ? byWidth : byHeight
  }

  func variant(
    serving target: Target, of source: PlanSource, settings: PlanSettings
  ) -> PlannedVariant {
    let length = min(target.length, native.longerSide)
    let chosen = settings.formatHolding(length, source: source)
    let isAnimated = source.isAnimated && settings.keepsAnimation && chosen.format.hasAnimation
    return PlannedVariant(
      crop: crop,
      size: size(longerSide: chosen.rung),
      encoding: Encoding(
        format: chosen.format,
        quality: chosen.format.hasQuality ? settings.quality : nil,
        effort: chosen.format.efforts == nil ? nil : settings.effort,
        background: source.hasAlpha && !chosen.format.hasAlpha ? settings.background : nil,
        isAnimated: isAnimated),
      fallback: chosen.format == settings.format ? nil : .init(settings.format))
  }

  /// A result of this length: the source's own size where that is no longer.
  private func size(longerSide length: Int) -> Size {
    if length >= native.longerSide { return native }
    return shape.width >= shape.height
      ? Size(length, max(1, roundedRatio(length, shape.height, shape.width)))
      : Size(max(1, roundedRatio(length, shape.width, shape.height)), length)
  }
}

extension PlanSettings {
  /// The format for a result of at least `length` pixels, and the rung on its ladder.
  ///
  /// A format that can't hold it gives way: the pipeline's own to `oversized`, and that to PNG
  /// where it would lose alpha that the pipeline's own format keeps, or can't hold it either. An
  /// animation stays in its format, at that format's limit: a few pixels less are better than a
  /// picture that no longer moves.
  fileprivate func formatHolding(
    _ length: Int, source: PlanSource
  ) -> (format: OutputFormat, rung: Int) {
    let losesFrames = source.isAnimated && keepsAnimation && format.hasAnimation
    if losesFrames && length > format.longestSide { return (format, format.longestSide) }
    let keepsAlpha = source.hasAlpha && format.hasAlpha
    let candidates = [format, oversized, .png].filter {
      $0 == format || !keepsAlpha || $0.hasAlpha
    }
    let chosen = candidates.first { length <= $0.longestSide } ?? .png
    let limit = chosen.longestSide
    return (chosen, rounding.rung(for: min(length, limit), limit: limit))
  }
}

extension PlannedVariant {
  /// Smallest first; ties are broken by everything else, so the order is total.
  fileprivate var sortKey: [Int] {
    [
      size.area, size.width, crop?.x ?? -1, crop?.y ?? -1, crop?.size.width ?? -1,
      crop?.size.height ?? -1, OutputFormat.allCases.firstIndex(of: encoding.format) ?? 0,
    ]
  }
}

/// a * b / c, to the nearest whole number, halves up.
func roundedRatio(_ a: Int, _ b: Int, _ c: Int) -> Int { (2 * a * b + c) / (2 * c) }

/// a * b / c, up to the next whole number.
private func ceilingRatio(_ a: Int, _ b: Int, _ c: Int) -> Int { (a * b + c - 1) / c }
