/// Everything that shapes the bytes of a file apart from crop and size.
package struct Encoding: Sendable, Hashable {
  package var format: OutputFormat
  /// 1 to 100; nil if the format has no quality.
  package var quality: Int?
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
    format: OutputFormat, quality: Int?, effort: Int?, alphaQuality: Int? = nil,
    background: Colour?, isAnimated: Bool, metadata: MetadataPolicy = .strip
  ) {
    self.format = format
    self.quality = quality
    self.effort = effort
    self.alphaQuality = alphaQuality
    self.background = background
    self.isAnimated = isAnimated
    self.metadata = metadata
  }
}
