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

/// Which metadata of a source its files keep.
///
/// No policy keeps the orientation, which no longer applies, embedded previews, makers' notes,
/// which hold more previews, or other blocks within Exif. XMP is kept or removed as a whole: it is
/// removed if it contains a preview, or a location that the policy does not keep.
package struct MetadataPolicy: OptionSet, Sendable, Hashable, Codable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The colour profile. Without it, colours are converted to sRGB.
  package static let icc = MetadataPolicy(rawValue: 1)
  package static let exif = MetadataPolicy(rawValue: 2)
  package static let xmp = MetadataPolicy(rawValue: 4)
  package static let iptc = MetadataPolicy(rawValue: 8)
  /// Where the image was taken.
  package static let location = MetadataPolicy(rawValue: 16)

  /// Nothing.
  package static let strip: MetadataPolicy = []
  /// Everything but the location, which must be configured explicitly.
  package static let keep: MetadataPolicy = [.icc, .exif, .xmp, .iptc]

  /// The kinds by their names in the pipeline file. `exif` includes the location.
  package static let named: [(name: String, policy: MetadataPolicy)] = [
    ("icc", .icc), ("exif", [.exif, .location]), ("xmp", .xmp), ("iptc", .iptc),
  ]
}

extension MetadataPolicy: CustomStringConvertible {
  /// `strip`, or `keep` and the kinds: `keep icc exif`. Part of ``PlannedFile/recipe``.
  package var description: String {
    let parts: [(String, MetadataPolicy)] = [
      ("icc", .icc), ("exif", .exif), ("xmp", .xmp), ("iptc", .iptc), ("location", .location),
    ]
    // Not `named`: the location is listed by itself, since a policy may have Exif without it.
    let kept = parts.filter { contains($0.1) }.map(\.0)
    return kept.isEmpty ? "strip" : "keep " + kept.joined(separator: " ")
  }
}

/// How damaged a source may be before Tessera rejects it.
package enum FailOn: String, Sendable, Codable, CaseIterable {
  /// Reject nothing that can be decoded in part.
  case none
  /// Reject truncated images; of other damaged ones keep the part that can be decoded.
  case truncated
  /// Reject every image for which the decoder reports an error.
  case error
}

/// A colour in sRGB, from 0 to 255 per channel.
package struct Colour: Sendable, Hashable, Codable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  package static var white: Colour { Colour(red: 255, green: 255, blue: 255) }

  /// Reads `#rgb` or `#rrggbb` (CSS Color 4, section 5.2); nil for any other text.
  package init?(hexadecimal text: String) {
    guard text.first == "#" else { return nil }
    let digits = text.dropFirst().map(\.hexDigitValue)
    let values = digits.compactMap(\.self)
    guard values.count == digits.count else { return nil }
    switch values.count {
    case 3:  // each digit counts twice: 0xF becomes 0xFF, which is 15 * 17
      self.init(
        red: UInt8(values[0] * 17), green: UInt8(values[1] * 17), blue: UInt8(values[2] * 17))
    case 6:
      self.init(
        red: UInt8(values[0] * 16 + values[1]), green: UInt8(values[2] * 16 + values[3]),
        blue: UInt8(values[4] * 16 + values[5]))
    default: return nil
    }
  }

  /// `#rrggbb`.
  package var hexadecimal: String {
    let digits = [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "#" + digits.joined()
  }
}
