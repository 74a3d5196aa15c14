/// Everything that shapes the bytes of a file apart from crop and size.
package struct Encoding: Sendable, Hashable, Codable {
  package var format: OutputFormat
  /// 1 to 100; nil if the format has no quality, or if it has to be found.
  package var quality: Int?
  /// How the quality is found; nil if it is a setting, or if the format has none.
  package var automatic: AutomaticQuality?
  /// Nil if the encoder has no effort.
  package var effort: Int?
  /// 0 to 100: how many levels the alpha keeps. Nil unless the source has alpha, the format is WebP,
  /// and levels may be lost.
  package var alphaQuality: Int?
  /// The colour behind translucent pixels; nil unless the source has alpha and the format has none.
  package var background: Colour?
  /// Whether the file has all frames, or only the first.
  package var isAnimated: Bool
  package var metadata: MetadataPolicy
  package init(
    format: OutputFormat, quality: Int?, automatic: AutomaticQuality? = nil, effort: Int?,
    alphaQuality: Int? = nil, background: Colour?, isAnimated: Bool,
    metadata: MetadataPolicy = .strip
  ) {
    self.format = format
    self.quality = quality
    self.automatic = automatic
    self.effort = effort
    self.alphaQuality = alphaQuality
    self.background = background
    self.isAnimated = isAnimated
    self.metadata = metadata
  }

  /// As the settings want files of a source in a format.
  init(_ settings: PlanSettings, _ format: OutputFormat, of source: PlanSource) {
    let isAnimated = source.isAnimated && settings.keepsAnimation && format.hasAnimation
    let (quality, automatic) = (settings.quality[format], settings.automaticQuality)
    let isFound = format.hasQuality && quality == nil
    self.init(
      // A search compares still images.
      format: format, quality: isFound && isAnimated ? automatic.fallback(format) : quality,
      automatic: isFound && !isAnimated ? automatic : nil,
      effort: settings.effort[format] ?? EncoderSetting.automaticEffort(format, of: source),
      alphaQuality: source.hasAlpha && format == .webp && settings.alphaQuality < 100
        ? settings.alphaQuality : nil,
      background: source.hasAlpha && !format.hasAlpha ? settings.background : nil,
      isAnimated: isAnimated, metadata: settings.metadata)
  }

  /// Everything but the format, in words for a file's recipe.
  var recipe: [String] {
    var parts: [String] = []
    if let quality {
      // However it was found: the same quality gives the same bytes.
      parts.append("quality \(quality)")
    } else if let automatic {
      parts.append(automatic.recipe)
    }
    if let effort { parts.append("effort \(effort)") }
    if let alphaQuality { parts.append("alpha quality \(alphaQuality)") }
    if let background { parts.append("on \(background.hexadecimal)") }
    return parts + [isAnimated ? "all frames" : "first frame", "\(metadata)"]
  }

  /// Whether the quality has to be found.
  package var isUnresolved: Bool { quality == nil && automatic != nil }
}
