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

  /// Whether the quality has to be found.
  package var isUnresolved: Bool { quality == nil && automatic != nil }
}
