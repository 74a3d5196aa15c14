internal import TesseraCatalog

/// The part of a source that a slot shows, and the shape in which it appears.
struct Frame {
  /// The part in source pixels; nil means all of it.
  let crop: Crop?
  /// The size of that part: no variant is larger.
  let native: Size
  /// The shape of results, as a ratio of integers. A crop has the shape of the slot's points, so
  /// that all scales share one shape.
  let shape: Size

  init(of source: PlanSource, in slot: Slot, gravity: Gravity) {
    guard let wanted = slot.shape(for: source.size) else {
      (crop, native, shape) = (nil, source.size, source.size)
      return
    }
    shape = wanted
    native = Crop.largest(of: shape, in: source.size)
    // A crop of the whole image counts as none, so that it shares its files with `fit`.
    crop =
      native == source.size
      ? nil : Crop(native, Crop.placement(of: native, in: source, gravity: gravity))
  }

  /// The result that fills a slot's box exactly, whether or not the source has as many pixels.
  struct Target {
    var size: Size
    /// As `length`, of the width.
    var width: Int
    /// The longer side of a result that fills the slot on the side that the slot sets.
    /// It is not that of `size` if the other side would be less than a pixel: `size` has one pixel
    /// there.
    var length: Int
  }

  func target(of slot: Slot, scale: Int) -> Target {
    let isWide = shape.width >= shape.height
    let byWidth = slot.width.map { width in
      let width = width * scale
      // The free side follows the shape, and is at least a pixel.
      return Target(
        size: Size(width, max(1, roundedRatio(width, shape.height, shape.width))), width: width,
        length: isWide ? width : ceilingRatio(width, shape.height, shape.width))
    }
    let byHeight = slot.height.map { height in
      let height = height * scale
      return Target(
        size: Size(max(1, roundedRatio(height, shape.width, shape.height)), height),
        width: ceilingRatio(height, shape.width, shape.height),
        length: isWide ? ceilingRatio(height, shape.width, shape.height) : height)
    }
    guard let byWidth else {
      return byHeight ?? Target(size: native, width: native.width, length: native.longerSide)
    }
    guard let byHeight else { return byWidth }
    // With both sides set, the tighter one decides for `fit`, the wider one for `fill`. For `clip`
    // the two are the same.
    let widthIsTighter = byWidth.size.width * shape.height <= byHeight.size.height * shape.width
    return (slot.mode == .fill) != widthIsTighter ? byWidth : byHeight
  }

  /// What has to be made for a target, before any rounding.
  struct Need {
    var formats: [ResolvedFormat]
    /// Whether it is made as large as it is needed. An image service may not: then the source itself is shown, or else the largest
    /// image that the service makes.
    var isWhole = true
    var isOriginal = false
    /// The widths of the service that fit, ascending; empty for any.
    var widths: [Int] = []
    /// Which side is rounded.
    var side: Rounding.Side
    var demand: LadderDemand.Request
  }

  func need(_ target: Target, of source: PlanSource, settings: PlanSettings) -> Need {
    // Nothing is enlarged, so the source's own side is the most that a file can have.
    let wanted = min(target.length, native.longerSide)
    guard let service = settings.service else {
      let formats = ResolvedFormat.all(of: wanted, source: source, settings: settings)
      // All formats of a variant have one size, so the least of their limits is the top rung.
      return need(
        target, formats, limit: formats.map(\.format.longestSide).min() ?? wanted, settings)
    }
    let served = ServedFormats(
      of: wanted, shape: shape, by: service, source: source, settings: settings)
    let widths = service.widths.filter { size(width: $0).longerSide <= served.limit }
    let isWide = widths.last ?? 0 >= min(target.width, native.width)
    let isWhole =
      served.isWhole && settings.serves(source) && (service.widths.isEmpty || isWide)
    if !isWhole, crop == nil, source.isShownAnywhere {
      // Of one format, so that all slots share it.
      let formats = ResolvedFormat.unlimited(source, settings)
      var need = need(target, formats, limit: native.longerSide, settings)
      need.demand.length = need.demand.longest
      (need.isWhole, need.isOriginal) = (false, true)
      return need
    }
    var need = need(target, served.formats, limit: served.limit, settings)
    need.isWhole = isWhole
    need.widths = widths.isEmpty ? Array(service.widths.prefix(1)) : widths
    return need
  }

  private func need(
    _ target: Target, _ formats: [ResolvedFormat], limit: Int, _ settings: PlanSettings
  ) -> Need {
    // An image of a pixel's width may be too high for its format.
    let hasWidths = shape.width >= shape.height || limit * shape.width >= shape.height
    let side = hasWidths ? settings.rounding.side : .longer
    return Need(formats: formats, side: side, demand: demand(target, limit: limit, by: side))
  }

  /// The variant that serves a need: its size on the ladder, in every format that holds it.
  func variant(
    serving need: Need, of source: PlanSource, settings: PlanSettings
  ) -> PlannedVariant {
    let size = need.isOriginal ? source.size : size(serving: need, settings)
    var files: [PlannedFile] = []
    for var choice in need.formats where !need.isOriginal || files.isEmpty {
      if !need.isWhole { choice.limit() }
      let encoding = Encoding(settings, choice.format, of: source)
      // Two choices may resolve to one format: `source` and `webp`, for example.
      if files.contains(where: { $0.encoding == encoding }) { continue }
      var file = PlannedFile(
        crop: crop, size: size, encoding: encoding, fallback: choice.fallback)
      if settings.service == nil { file.allowLossless(of: source) }
      files.append(file)
    }
    if let encoding = Encoding(highDynamicRange: settings, of: source),
      size.longerSide <= OutputFormat.jpeg.longestSide
    {
      files.append(PlannedFile(crop: crop, size: size, encoding: encoding, fallback: nil))
    }
    return PlannedVariant(files: files, isOriginal: need.isOriginal)
  }

  private func size(serving need: Need, _ settings: PlanSettings) -> Size {
    let rung = settings.rounding.steps.rung(for: need.demand.length, limit: need.demand.limit)
    let size = need.side == .width ? size(width: rung) : size(longerSide: rung)
    guard let last = need.widths.last else { return size }
    return self.size(width: need.widths.first { $0 >= size.width } ?? last)
  }

  /// What a ladder of one of the sides has to serve.
  ///
  /// - Parameter limit: of the longer side.
  private func demand(
    _ target: Target, limit: Int, by side: Rounding.Side
  ) -> LadderDemand.Request {
    switch side {
    case .longer:
      return LadderDemand.Request(
        length: min(target.length, native.longerSide, limit),
        longest: min(native.longerSide, limit), limit: limit,
        area: Double(min(shape.width, shape.height)) / Double(shape.longerSide))
    case .width:
      // Rounded down, so that the height is within the limit.
      let limit =
        shape.width >= shape.height
        ? limit : limit * shape.width / shape.height
      return LadderDemand.Request(
        length: min(target.width, native.width, limit), longest: min(native.width, limit),
        limit: limit, area: Double(shape.height) / Double(shape.width))
    }
  }

  /// The size of a result with this width; at most the source's own.
  private func size(width: Int) -> Size {
    width >= native.width
      ? native : Size(width, max(1, roundedRatio(width, shape.height, shape.width)))
  }

  /// The size of a result with this longer side; at most the source's own.
  private func size(longerSide length: Int) -> Size {
    if length >= native.longerSide { return native }
    return shape.width >= shape.height
      ? Size(length, max(1, roundedRatio(length, shape.height, shape.width)))
      : Size(max(1, roundedRatio(length, shape.width, shape.height)), length)
  }
}
