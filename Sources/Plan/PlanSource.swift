package import TesseraCatalog

/// The facts about a source that its plan depends on.
package struct PlanSource: Sendable, Equatable {
  /// In displayed pixels: the orientation is applied before anything else is computed.
  package var size: Size
  /// The source's own format; nil if it is not an output format.
  package var format: OutputFormat?
  /// Whether it is in a format for photographs, which loses detail that does not show.
  package var isPhotograph: Bool
  package var hasAlpha: Bool
  package var isAnimated: Bool
  /// Whether it has a gain map that its files may keep.
  package var hasGainMap: Bool
  /// The point that a crop is centred on, as far as the image allows; nil means that the settings'
  /// gravity decides.
  package var focus: CatalogFocus?

  package init(
    size: Size, format: OutputFormat? = nil, isPhotograph: Bool = false, hasAlpha: Bool = false,
    isAnimated: Bool = false, hasGainMap: Bool = false, focus: CatalogFocus? = nil
  ) {
    self.size = size
    self.format = format
    self.isPhotograph = isPhotograph
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.hasGainMap = hasGainMap
    self.focus = focus
  }
}
