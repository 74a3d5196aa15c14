/// Why a file differs from the configuration: its format is another one, or it is smaller, because
/// an animation among the files of its variant is at the limit of its format.
package struct Fallback: Sendable, Hashable {
  /// In the order in which the planner considered the formats. Not empty.
  package var reasons: [Reason]

  /// Why a format cannot be used.
  package enum Reason: Sendable, Hashable {
    /// A side would exceed the limit of the format.
    case sizeLimit(OutputFormat)
    /// The source and the configured format have alpha, but this one has none.
    case noAlpha(OutputFormat)
    /// The source is animated, and files in this format are not.
    case noAnimation(OutputFormat)
    /// The image service makes no larger image.
    case serviceLimit

    /// All that there may be.
    package static let all: [Reason] =
      OutputFormat.allCases.map { .sizeLimit($0) }
      + OutputFormat.allCases.filter { !$0.hasAlpha }.map { .noAlpha($0) }
      + OutputFormat.allCases.filter(\.givesWayToAnimation).map { .noAnimation($0) }
      + [.serviceLimit]

    /// The code in the catalog: `webp-size-limit`.
    package var code: String {
      switch self {
      case .sizeLimit(let format): "\(format.rawValue)-size-limit"
      case .noAlpha(let format): "\(format.rawValue)-no-alpha"
      case .noAnimation(let format): "\(format.rawValue)-no-animation"
      case .serviceLimit: "service-limit"
      }
    }
  }

  /// Nil if there is no reason.
  package init?(_ reasons: [Reason]) {
    guard !reasons.isEmpty else { return nil }
    self.reasons = reasons
  }

  /// The first of the reasons, which the catalog has.
  package var code: String { reasons[0].code }

  /// All reasons, for display: `webp-size-limit, jpeg-no-alpha`.
  package var text: String { reasons.map(\.code).joined(separator: ", ") }
}
