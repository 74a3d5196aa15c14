/// The settings of the pipeline file for variants; the same for all sources.
package struct PlanSettings: Sendable, Equatable {
  package var slots: [Slot]
  /// Device pixels per point, ascending.
  package var scales: [Int]
  /// How often images are viewed in a slot, and at a scale, relative to the others; 1 where nothing is said. They change no
  /// file, but what a view costs, and which ladder fits.
  package var slotWeights: [String: Double] = [:]
  package var scaleWeights: [Int: Double] = [:]
  package var rounding: Rounding
  /// The formats of each variant, the preferred one first. Not empty.
  package var formats: [FormatChoice]
  /// 1 to 100, for the formats that have a quality; nil also where it is found for each image.
  package var quality: EncoderSetting
  /// How it is found then.
  package var automaticQuality = AutomaticQuality()
  /// For the formats whose encoder has an effort; nil also where it depends on the source.
  package var effort: EncoderSetting
  /// 0 to 100, for the alpha of WebP files; 100 keeps every level.
  package var alphaQuality: Int
  /// Replaces a format if a side exceeds that format's limit.
  package var oversized: OutputFormat
  /// Fills transparent pixels in formats without alpha.
  package var background: Colour
  package var metadata: MetadataPolicy
  package var keepsAnimation: Bool
  package var dynamicRange = DynamicRange.sdr
  /// The part that crops keep, for sources without a focus of their own.
  package var gravity: Gravity
  package var lanes: Lanes
  /// Of the service that makes the variants; nil if files are made.
  package var service: ServiceLimits?

  package init(
    slots: [Slot], scales: [Int] = [1, 2, 3], rounding: Rounding = .powerOfTwo,
    formats: [FormatChoice] = [.fixed(.webp)], quality: EncoderSetting = .quality,
    effort: EncoderSetting = .effort, alphaQuality: Int = 100, oversized: OutputFormat = .jpeg,
    background: Colour = .white, metadata: MetadataPolicy = .strip,
    keepsAnimation: Bool = true, gravity: Gravity = .centre, lanes: Lanes = .on
  ) {
    self.slots = slots
    self.scales = scales
    self.rounding = rounding
    self.formats = formats
    self.quality = quality
    self.effort = effort
    self.alphaQuality = alphaQuality
    self.oversized = oversized
    self.background = background
    self.metadata = metadata
    self.keepsAnimation = keepsAnimation
    self.gravity = gravity
    self.lanes = lanes
  }
}

/// What is made of sources for screens of high dynamic range.
package enum DynamicRange: String, Sendable, CaseIterable {
  /// Files that look alike on all screens.
  case sdr
  /// Besides, a JPEG with a gain map of each size of a source that has one.
  case keep
}

extension PlanSettings {
  package func weight(of slot: String, scale: Int) -> Double {
    slotWeights[slot, default: 1] * scaleWeights[scale, default: 1]
  }

  /// Whether a format has a quality that is found for each image.
  package var findsQuality: Bool {
    OutputFormat.allCases.contains { $0.hasQuality && quality[$0] == nil }
  }

  /// The configured formats that do not depend on the source.
  package var fixedFormats: [OutputFormat] {
    formats.compactMap { if case .fixed(let format) = $0 { format } else { nil } }
  }
}
