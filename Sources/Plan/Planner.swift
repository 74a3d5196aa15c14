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
    var slotPlans: [SlotPlan] = []
    for slot in slots {
      let frame = Frame(of: source, in: slot, gravity: settings.gravity)
      let requests = settings.scales.map { scale in
        let target = frame.target(of: slot, scale: scale)
        let variant = frame.variant(serving: target, of: source, settings: settings)
        // A source has a dozen variants: looking through them is faster than hashing them.
        let known = made.firstIndex { $0.isSame(as: variant) }
        if let known { made[known].addReasons(of: variant) } else { made.append(variant) }
        let index = known ?? made.count - 1
        return Request(scale: scale, asked: target.size, variant: index)
      }
      slotPlans.append(
        SlotPlan(slot: slot, layout: frame.target(of: slot, scale: 1).size, requests: requests))
    }
    let order = made.indices.sorted { made[$0].precedes(made[$1]) }
    var position = [Int](repeating: 0, count: made.count)
    for (new, old) in order.enumerated() { position[old] = new }
    for slot in slotPlans.indices {
      for request in slotPlans[slot].requests.indices {
        slotPlans[slot].requests[request].variant =
          position[slotPlans[slot].requests[request].variant]
      }
    }
    self.init(
      variants: order.map { made[$0] }, slots: slotPlans, formatCount: settings.formats.count)
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
      crop = Crop(native, Self.place(of: native, in: source, gravity: gravity))
    }
  }

  private static func place(of part: Size, in source: PlanSource, gravity: Gravity) -> Crop.Place {
    let focus: PlanSource.Focus
    switch (source.focus, gravity) {
    case (let own?, _): focus = own
    case (nil, .side(let side)): focus = side.focus
    case (nil, .found(let interest)): return .found(interest)
    }
    return .at(
      x: offset(of: part.width, in: source.size.width, focus: focus.x),
      y: offset(of: part.height, in: source.size.height, focus: focus.y))
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
    let wanted = min(target.length, native.longerSide)
    let holders = FormatHolder.all(of: wanted, source: source, settings: settings)
    // One size for all formats: the least of their limits is the top rung.
    let limit = holders.map(\.format.longestSide).min() ?? wanted
    let size = size(
      longerSide: settings.rounding.rung(for: min(wanted, limit), limit: limit))
    var files: [PlannedFile] = []
    for holder in holders {
      let encoding = settings.encoding(holder.format, of: source)
      if files.contains(where: { $0.encoding == encoding }) { continue }
      files.append(
        PlannedFile(crop: crop, size: size, encoding: encoding, fallback: holder.fallback))
    }
    return PlannedVariant(files: files)
  }

  /// A result of this length: the source's own size where that is no longer.
  private func size(longerSide length: Int) -> Size {
    if length >= native.longerSide { return native }
    return shape.width >= shape.height
      ? Size(length, max(1, roundedRatio(length, shape.height, shape.width)))
      : Size(max(1, roundedRatio(length, shape.width, shape.height)), length)
  }
}

/// The format that holds a result, where a certain one is asked for.
///
/// A format that can't hold it gives way: the one asked for to `oversized`, and that to PNG where it
/// would lose alpha that the first keeps, or can't hold it either. An animation stays in its format,
/// at that format's limit: a few pixels less are better than a picture that no longer moves.
private struct FormatHolder {
  var format: OutputFormat
  var fallback: Fallback? { Fallback(reasons) }
  private var reasons: [Fallback.Reason] = []

  /// One for each of the settings' formats.
  ///
  /// - Parameter length: the longer side of the result, in pixels.
  static func all(of length: Int, source: PlanSource, settings: PlanSettings) -> [FormatHolder] {
    let moves = source.isAnimated && settings.keepsAnimation
    let asked = settings.formats.map { $0.format(for: source, moves: moves) }
    guard moves else {
      return asked.map { FormatHolder(of: length, $0, source: source, settings: settings) }
    }
    // Where an animation is among the files, its limit is that of all: they have one size.
    let moving = asked.map { FormatHolder(moving: $0) }
    let limit = moving.contains { $0.format.hasAnimation } ? OutputFormat.webp.longestSide : length
    return zip(asked, moving).map { asked, moving in
      guard moving.format.hasAnimation else {
        var still = FormatHolder(of: min(length, limit), asked, source: source, settings: settings)
        if length > limit { still.reasons.append(.sizeLimit(.webp)) }
        return still
      }
      var holder = moving
      if length > limit { holder.reasons.append(.sizeLimit(.webp)) }
      return holder
    }
  }

  /// The format for a source that moves, whatever its size.
  private init(moving asked: OutputFormat) {
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
    format = .png
    for candidate in [settings.oversized, .png] where candidate != asked {
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

extension PlannedVariant {
  /// Whether the files are the same. Why they are as they are does not count.
  fileprivate func isSame(as other: PlannedVariant) -> Bool {
    size == other.size && crop == other.crop
      && files.elementsEqual(other.files) { $0.encoding == $1.encoding }
  }

  /// One request may ask for more than a format can hold, and another for just as much as it can: of
  /// the same file the reasons of the first are told.
  fileprivate mutating func addReasons(of other: PlannedVariant) {
    for (index, file) in other.files.enumerated() {
      let (old, new) = (
        files[index].fallback?.reasons.count ?? 0, file.fallback?.reasons.count ?? 0
      )
      if new > old { files[index].fallback = file.fallback }
    }
  }
}

extension PlanSettings {
  fileprivate func encoding(_ format: OutputFormat, of source: PlanSource) -> Encoding {
    Encoding(
      format: format, quality: quality[format], effort: effort[format],
      background: source.hasAlpha && !format.hasAlpha ? background : nil,
      isAnimated: source.isAnimated && keepsAnimation && format.hasAnimation, metadata: metadata)
  }
}

extension PlannedVariant {
  /// Smallest first; ties are broken by everything else, so the order is total.
  fileprivate func precedes(_ other: PlannedVariant) -> Bool {
    if size.area != other.size.area { return size.area < other.size.area }
    if size.width != other.size.width { return size.width < other.size.width }
    return ties.lexicographicallyPrecedes(other.ties)
  }

  private var ties: [Int] {
    let place: [Int] =
      switch crop?.place {
      case nil: [-1, -1]
      case .found: [-2, -2]
      case .at(let x, let y): [x, y]
      }
    return place + [crop?.size.width ?? 0, crop?.size.height ?? 0]
      + files.map(\.encoding.format.index)
  }
}

/// a * b / c, to the nearest whole number, halves up.
func roundedRatio(_ a: Int, _ b: Int, _ c: Int) -> Int { (2 * a * b + c) / (2 * c) }

/// a * b / c, up to the next whole number.
private func ceilingRatio(_ a: Int, _ b: Int, _ c: Int) -> Int { (a * b + c - 1) / c }
