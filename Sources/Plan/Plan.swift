/// What the pipeline file says about variants; the same for all sources.
package struct PlanSettings: Sendable, Equatable {
  package var slots: [Slot]
  /// Device pixels a point, ascending.
  package var scales: [Int]
  package var rounding: Rounding
  package var format: OutputFormat
  package var quality: Int
  package var effort: Int
  /// Takes over where a side is over `format`'s limit.
  package var oversized: OutputFormat
  package var background: Colour
  package var keepsAnimation: Bool
  /// Where crops are taken from, of sources that do not say themselves.
  package var gravity: Gravity

  package init(
    slots: [Slot], scales: [Int] = [1, 2, 3], rounding: Rounding = .powerOfTwo,
    format: OutputFormat = .webp, quality: Int = 80, effort: Int = 4,
    oversized: OutputFormat = .jpeg, background: Colour = .white, keepsAnimation: Bool = true,
    gravity: Gravity = .centre
  ) {
    self.slots = slots
    self.scales = scales
    self.rounding = rounding
    self.format = format
    self.quality = quality
    self.effort = effort
    self.oversized = oversized
    self.background = background
    self.keepsAnimation = keepsAnimation
    self.gravity = gravity
  }
}

/// A side or corner of a picture that crops keep, or its middle.
package enum Gravity: String, Sendable, CaseIterable {
  case centre, north, east, south, west
  case northEast = "north-east"
  case southEast = "south-east"
  case southWest = "south-west"
  case northWest = "north-west"

  /// The point that a crop is centred on, as far as it can be.
  package var focus: PlanSource.Focus {
    switch self {
    case .centre: .init(x: 0.5, y: 0.5)
    case .north: .init(x: 0.5, y: 0)
    case .northEast: .init(x: 1, y: 0)
    case .east: .init(x: 1, y: 0.5)
    case .southEast: .init(x: 1, y: 1)
    case .south: .init(x: 0.5, y: 1)
    case .southWest: .init(x: 0, y: 1)
    case .west: .init(x: 0, y: 0.5)
    case .northWest: .init(x: 0, y: 0)
    }
  }
}

/// What must be known of a source to plan for it.
package struct PlanSource: Sendable, Equatable {
  /// Displayed pixels: orientation is applied before anything else is computed.
  package var size: Size
  package var hasAlpha: Bool
  package var isAnimated: Bool
  /// The point, in parts of width and height, that a crop is centred on as far as it can be; nil means
  /// as the settings' gravity says.
  package var focus: Focus?

  package struct Focus: Sendable, Equatable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  package init(
    size: Size, hasAlpha: Bool = false, isAnimated: Bool = false, focus: Focus? = nil
  ) {
    self.size = size
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.focus = focus
  }
}

/// A file to make.
package struct PlannedVariant: Sendable, Hashable {
  /// The part of the displayed picture; nil is all of it.
  package var crop: Crop?
  package var size: Size
  package var encoding: Encoding
  /// Why the format is not the one that the pipeline asks for.
  package var fallback: Fallback?

  package init(crop: Crop?, size: Size, encoding: Encoding, fallback: Fallback?) {
    self.crop = crop
    self.size = size
    self.encoding = encoding
    self.fallback = fallback
  }

  /// The raw value goes into the catalog.
  package enum Fallback: String, Sendable {
    case webpSizeLimit = "webp-size-limit"
    case jpegSizeLimit = "jpeg-size-limit"
    case pngSizeLimit = "png-size-limit"

    init(_ format: OutputFormat) {
      self =
        switch format {
        case .webp: .webpSizeLimit
        case .jpeg: .jpegSizeLimit
        case .png: .pngSizeLimit
        }
    }
  }

  /// One line that says everything that shapes the file's bytes apart from the source's and the
  /// versions of the libraries. Two variants with the same line are the same file.
  package var recipe: String {
    var parts = ["\(encoding.format.rawValue) \(size.width)x\(size.height)"]
    if let crop {
      parts.append("crop \(crop.x),\(crop.y),\(crop.size.width)x\(crop.size.height)")
    }
    if let quality = encoding.quality { parts.append("quality \(quality)") }
    if let effort = encoding.effort { parts.append("effort \(effort)") }
    if let background = encoding.background { parts.append("on \(background.hexadecimal)") }
    parts.append(encoding.isAnimated ? "all frames" : "first frame")
    parts.append("strip")
    return parts.joined(separator: "; ")
  }
}

/// Which files one source needs, and which of them serves which slot at which scale.
package struct Plan: Sendable, Equatable {
  /// Distinct, smallest first.
  package var variants: [PlannedVariant]
  /// In the order of the settings.
  package var slots: [SlotPlan]

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

  /// The size, at most the source's own, that the whole picture must be decoded at for the largest of
  /// the variants.
  ///
  /// It is part of what shapes their bytes: each is made from a picture of this size, or of a half, a
  /// quarter… of it. So it is taken from the plan for all slots, never from what happens to be missing
  /// just now; the same picture then has the same files, in whatever order they came to be asked for.
  package func base(of source: Size) -> Size {
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

  /// Requests that were answered by a file that another request had asked for already.
  package var shared: Int { slots.reduce(0) { $0 + $1.requests.count } - variants.count }
}
