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
  /// Whether the file has a gain map beside its image, for screens of high dynamic range. Only of JPEG.
  package var hasGainMap: Bool

  /// Whether anything of the source is in the file besides its samples.
  package var keepsMetadata: Bool { !metadata.isEmpty || hasGainMap }

  package init(
    format: OutputFormat, quality: Int?, automatic: AutomaticQuality? = nil, effort: Int?,
    alphaQuality: Int? = nil, background: Colour?, isAnimated: Bool,
    metadata: MetadataPolicy = .strip, hasGainMap: Bool = false
  ) {
    self.format = format
    self.quality = quality
    self.automatic = automatic
    self.effort = effort
    self.alphaQuality = alphaQuality
    self.background = background
    self.isAnimated = isAnimated
    self.metadata = metadata
    self.hasGainMap = hasGainMap
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

  /// A JPEG that has the gain map of its source, as the settings want it. Nil unless they want one, and the source has one.
  ///
  /// It keeps the colour profile, because a gain map is for the primaries of its image; and no XMP, because it has a packet
  /// of its own.
  init?(highDynamicRange settings: PlanSettings, of source: PlanSource) {
    guard settings.dynamicRange == .keep, source.hasGainMap, settings.service == nil else {
      return nil
    }
    self.init(settings, .jpeg, of: source)
    quality = quality ?? automatic?.fallback(.jpeg)
    automatic = nil
    metadata = metadata.union(.icc).subtracting(.xmp)
    hasGainMap = true
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
    parts += [isAnimated ? "all frames" : "first frame", "\(metadata)"]
    return hasGainMap ? parts + ["gain map"] : parts
  }

  /// Whether the quality has to be found.
  package var isUnresolved: Bool { quality == nil && automatic != nil }
}
