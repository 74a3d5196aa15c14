/// A source as its decoder sees it, or as far as its header says.
package struct SourceFacts: Sendable, Equatable, Codable {
  /// Displayed pixels of one frame.
  package var size: Size
  package var hasAlpha: Bool
  /// At least 1.
  package var frames: Int
  /// `rgb`, `grey`, `cmyk`, `lab` or `other`; nil if only the header was read.
  package var colourSpace: String?
  /// The name of the ICC profile; nil without a profile, or with an unnamed one.
  package var profile: String?
  /// How many times as bright as the white of a page the image becomes by its gain map (ISO 21496-1): above 1, or 0
  /// without a usable gain map. Nil if nothing looked for one.
  package var headroom: Double?

  package init(
    size: Size, hasAlpha: Bool, frames: Int, colourSpace: String? = nil, profile: String? = nil,
    headroom: Double? = nil
  ) {
    self.size = size
    self.hasAlpha = hasAlpha
    self.frames = frames
    self.colourSpace = colourSpace
    self.profile = profile
    self.headroom = headroom
  }

  package var hasGainMap: Bool { headroom.map { $0 > 0 } ?? false }

  /// Whether the samples are those of printing.
  package var isInks: Bool { colourSpace == "cmyk" }

  /// The longest side that libvips supports (VIPS_MAX_COORD).
  package static let maximumSide = 10_000_000
  /// With at least a thousand pixels each, these are a billion pixels.
  private static let maximumFrames = 1_000_000
  /// Up to sixteen stops; PQ has less than six above white.
  package static let headrooms = 1.0...65_536

  /// Whether the numbers are possible. Numbers from another process are checked, because sums and
  /// products are computed from them.
  package var isPossible: Bool {
    (1...Self.maximumSide).contains(size.width) && (1...Self.maximumSide).contains(size.height)
      && (1...Self.maximumFrames).contains(frames)
      && headroom.map { $0 == 0 || Self.headrooms.contains($0) } ?? true
  }

  /// Whether a plan that was made for the other is valid for this one. If no gain map was looked for here, none matters.
  package func plansLike(_ other: SourceFacts) -> Bool {
    // A plan depends on whether there are several frames, not on their number.
    size == other.size && hasAlpha == other.hasAlpha && (frames > 1) == (other.frames > 1)
      && isInks == other.isInks && (headroom == nil || hasGainMap == other.hasGainMap)
  }

  /// The same without its gain map, which could not be used.
  package var withoutGainMap: SourceFacts {
    var facts = self
    facts.headroom = 0
    return facts
  }
}

/// A defect of a source that did not keep it from being decoded.
///
/// Warnings depend only on the source's bytes and the `fail-on` level, so they are stored with the
/// source.
package enum SourceWarning: Sendable, Equatable, Codable {
  /// The source is damaged and was decoded as far as possible, because the pipeline's `fail-on` level
  /// permits it. The detail is the message of the strict decode, which failed.
  case damaged(FailOn, detail: String)
  /// The colour profile cannot be read, or is not for this image's kind of samples. It was ignored.
  case damagedProfile
  /// The colour profile can be read, but not converted from. The detail is libvips' message.
  case unusableProfile(detail: String)
  /// The image has light beyond the white of a page (PQ or HLG), which was compressed.
  case toneMapped
  /// The image is an animation, of which no decoder here shows more than one image.
  case stillOfAnimation
  /// A drawing has what librsvg does not draw. The detail lists it.
  case drawingIncomplete(detail: String)
  /// The decoder shows another size than the header says, or turns the image otherwise. The detail names both.
  case headerDiffers(detail: String)
}

extension SourceWarning {
  /// What the sentence begins with, and what the state stores.
  package enum Code: String, Sendable, CaseIterable {
    case damaged
    case damagedProfile = "damaged-profile"
    case unusableProfile = "unusable-profile"
    case toneMapped = "tone-mapped"
    case stillOfAnimation = "still-of-animation"
    case drawingIncomplete = "drawing-incomplete"
    case headerDiffers = "header-differs"
  }

  package var code: Code {
    switch self {
    case .damaged: .damaged
    case .damagedProfile: .damagedProfile
    case .unusableProfile: .unusableProfile
    case .toneMapped: .toneMapped
    case .stillOfAnimation: .stillOfAnimation
    case .drawingIncomplete: .drawingIncomplete
    case .headerDiffers: .headerDiffers
    }
  }

  /// The warning as the catalog shows it, without a full stop: its code, and what it means.
  package var sentence: String { "\(code.rawValue): \(text)" }

  private var text: String {
    switch self {
    case .damaged(let level, let detail):
      "the image is damaged and was decoded as far as possible (fail-on: \(level.rawValue)): "
        + detail
    case .damagedProfile: "the colour profile is damaged or does not match the image"
    case .unusableProfile(let detail): "the colour profile could not be used: \(detail)"
    case .toneMapped: "the image is HDR, and its highlights were compressed"
    case .stillOfAnimation: "only one image of the animation can be decoded in this format"
    case .drawingIncomplete(let detail): "browsers show what is not drawn here: \(detail)"
    case .headerDiffers(let detail): "the image is not displayed as its header says: \(detail)"
    }
  }
}
