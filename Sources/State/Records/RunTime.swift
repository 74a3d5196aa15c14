internal import TesseraJSON

/// How long a run took by the clock, beside the work that it did.
package struct RunTime: Sendable, Equatable {
  package enum Kind: Int, Sendable {
    /// It sent no request and made no file.
    case idle
    case busy
    /// Requests failed or were repeated: part of its time are pauses, which are no work.
    case waited
  }

  package var kind: Kind
  package var seconds: Double
  /// What its transfers and jobs need if as many go on at a time as may.
  package var work: Double

  package init(_ kind: Kind, seconds: Double, work: Double) {
    (self.kind, self.seconds, self.work) = (kind, seconds, work)
  }

  /// Earlier runs say little of the present.
  private static let most = 15

  // MARK: In the state

  /// In place of a kind of cost.
  static let name = "runs"

  /// The last ones.
  static func stored(_ times: [RunTime]) -> String {
    var writer = JSONWriter()
    writer.array { list in
      for time in times.suffix(most) {
        list.array { values in
          values.value(time.kind.rawValue)
          values.value(time.seconds)
          values.value(time.work)
        }
      }
    }
    return writer.text
  }

  /// Those that ``stored(_:)`` wrote; others are left out.
  static func list(stored text: String) -> [RunTime] {
    guard let list = try? JSONParser.parse(Array(text.utf8)).arrayValue else { return [] }
    return list.compactMap { value in
      guard let values = value.arrayValue, values.count == 3,
        let kind = values[0].intValue.flatMap(Kind.init(rawValue:)),
        let seconds = values[1].doubleValue, let work = values[2].doubleValue,
        seconds.isFinite, work.isFinite
      else { return nil }
      return RunTime(kind, seconds: seconds, work: work)
    }
  }
}
