package import TesseraCatalog

/// The facts about a source that its plan depends on.
package struct PlanSource: Sendable, Equatable {
  /// In displayed pixels: the orientation is applied before anything else is computed.
  package var size: Size
  /// The source's own format; nil if it is not an output format.
  package var format: OutputFormat?
  /// The source's own format as the catalog names it; nil if it is not known.
  package var container: String?
  /// Whether it is in a format for photographs, which loses detail that does not show.
  package var isPhotograph: Bool
  package var hasAlpha: Bool
  /// Two stand for an animation whose frames were not counted.
  package var frames: Int
  package var isAnimated: Bool { frames > 1 }
  /// The source's size in bytes; nil if it is not known.
  package var bytes: Int?
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
    frames = isAnimated ? 2 : 1
    self.hasGainMap = hasGainMap
    self.focus = focus
  }

  /// Whether clients can request it. A file or an object of a store has no URL for them.
  package var hasURL = true

  /// Whether every client shows the source as it is: an image service's URL can be replaced by its own.
  package var isShownAnywhere: Bool {
    hasURL && container.map(["jpeg", "png", "gif", "webp", "avif"].contains) ?? false
  }
}
