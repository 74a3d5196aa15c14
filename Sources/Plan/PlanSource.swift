/// What must be known of a source to plan for it.
package struct PlanSource: Sendable, Equatable {
  /// Displayed pixels: orientation is applied before anything else is computed.
  package var size: Size
  /// The source's own format; nil where it is none that variants are written in.
  package var format: OutputFormat?
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
    size: Size, format: OutputFormat? = nil, hasAlpha: Bool = false, isAnimated: Bool = false,
    focus: Focus? = nil
  ) {
    self.size = size
    self.format = format
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.focus = focus
  }
}
