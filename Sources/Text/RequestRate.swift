/// How many requests are sent in a time, as people write it: `5/s`, `30/m`, `600/h`.
package struct RequestRate: Sendable, Equatable {
  package enum Unit: String, Sendable, CaseIterable {
    case second = "s"
    case minute = "m"
    case hour = "h"

    fileprivate var duration: Duration {
      switch self {
      case .second: .seconds(1)
      case .minute: .seconds(60)
      case .hour: .seconds(3_600)
      }
    }
  }

  package var requests: Int
  package var unit: Unit

  /// More than this is no limit for one process.
  package static let most = 999_999

  /// - Parameter requests: from 1 to ``most``.
  package init(requests: Int, unit: Unit) { (self.requests, self.unit) = (requests, unit) }

  /// Nil for other text, for zero, and for more than ``most``.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let unit = Unit(rawValue: String(parts[1])),
      parts[0].first != "0", parts[0].allSatisfy({ $0.isASCII && $0.isNumber }),
      let requests = Int(parts[0]), requests <= Self.most
    else { return nil }
    (self.requests, self.unit) = (requests, unit)
  }

  /// From one request to the next.
  package var interval: Duration { unit.duration / requests }

  /// As a pipeline file has it.
  package var text: String { "\(requests)/\(unit.rawValue)" }
}
