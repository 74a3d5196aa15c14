/// A format as the pipeline file names it: a certain one, or one that depends on the source.
package enum FormatChoice: Sendable, Hashable, RawRepresentable {
  case fixed(OutputFormat)
  /// The source's own if it is one of the output formats that most programs read; otherwise WebP for an animation, and
  /// ``compatible`` for a still image.
  case source
  /// A format that every program reads: PNG if the source has alpha, otherwise JPEG.
  case compatible

  /// All choices, in the order of messages and documentation.
  package static let all: [FormatChoice] =
    OutputFormat.allCases.map { .fixed($0) } + [.source, .compatible]

  /// The name in the pipeline file.
  package var rawValue: String {
    switch self {
    case .fixed(let format): format.rawValue
    case .source: "source"
    case .compatible: "compatible"
    }
  }

  package init?(rawValue: String) {
    guard let choice = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = choice
  }

  /// All formats that the choice may resolve to, before any fallback.
  package var formats: [OutputFormat] {
    switch self {
    case .fixed(let format): [format]
    case .source: OutputFormat.allCases.filter { !$0.isForFewPrograms }
    case .compatible: [.jpeg, .png]
    }
  }

  /// - Parameter isAnimated: whether the variants keep the source's animation.
  func format(for source: PlanSource, isAnimated: Bool) -> OutputFormat {
    switch self {
    case .fixed(let format): format
    case .source:
      if let own = source.format, !own.isForFewPrograms {
        own
      } else {
        isAnimated ? .webp : source.hasAlpha ? .png : .jpeg
      }
    case .compatible: source.hasAlpha ? .png : .jpeg
    }
  }
}
