package import TesseraJSON
internal import TesseraSystem

/// What a run, `merge`, `prune`, `rollback` or `forget` did, in a line of the history. It has no id, no URL, no path and no message: the history
/// says how an output fares, and not of which images.
package struct HistoryEntry: Sendable, Equatable, Encodable {
  package enum Kind: String, Sendable, Encodable { case run, merge, prune, rollback, forget }

  package enum Outcome: String, Sendable, Encodable, CaseIterable {
    case done
    /// Done, but images failed, or lines of the manifest could not be used.
    case someFailed = "some-failed"
    /// Could not be done; the catalog stands.
    case failed
    /// By a signal.
    case stopped

    /// Whether there is a result.
    package var isSuccess: Bool { self == .done || self == .someFailed }
  }

  /// What is counted of the work.
  package enum Work: String, Sendable, Encodable, CodingKeyRepresentable, CaseIterable {
    case requests, fetchedBytes, writtenBytes, decodes, encodes, deletedFiles, deletedBytes
  }

  package var kind: Kind
  /// In whole seconds since 1970.
  package var ended: Double
  package var seconds: Double
  package var outcome: Outcome
  /// Why it failed: a ``TesseraError/Code``, also one of a later version.
  package var reason: String?
  /// The number of the run in the state; nil for one that found nothing to do, and for tools.
  package var run: Int?
  /// Images by status, and those that a run of some left as they were (``others``); those with an error by its code.
  @Omitting([:]) package var counts: [String: Int] = [:]
  @Omitting([:]) package var errors: [String: Int] = [:]
  @Omitting([:]) package var work: [Work: Int] = [:]
  @Omitting(OutputFigures()) package var figures = OutputFigures()

  private enum CodingKeys: String, CodingKey {
    case kind, ended, seconds, outcome, reason, run
    case counts = "items"
    case errors, work
    case figures = "output"
  }

  package init(_ kind: Kind, ended: Double, seconds: Double, _ outcome: Outcome) {
    (self.kind, self.ended, self.seconds, self.outcome) = (
      kind, ended.rounded(.down), seconds, outcome
    )
  }

  package static let others = "others"

  /// Whether it is a `prune` that found nothing to delete. Only the last one says something: when that was.
  var isIdlePrune: Bool { kind == .prune && outcome == .done && work[.deletedFiles] == 0 }

  /// The size of files and state after it; nil if it is not known.
  package var size: DiskForecast.Point? {
    figures.fileBytes.map {
      DiskForecast.Point(time: ended, bytes: $0 + (figures.stateBytes ?? 0))
    }
  }
}

extension HistoryEntry {
  /// Until the year 5138.
  private static let times = 0...1e11

  /// Nil for another document.
  init?(_ json: JSONValue) {
    guard let kind = json["kind"]?.stringValue.flatMap(Kind.init(rawValue:)),
      let ended = json["ended"]?.doubleValue, Self.times.contains(ended),
      let seconds = json["seconds"]?.doubleValue, Self.times.contains(seconds),
      let outcome = json["outcome"]?.stringValue.flatMap(Outcome.init(rawValue:))
    else { return nil }
    self.init(kind, ended: ended, seconds: seconds, outcome)
    reason = json["reason"]?.stringValue
    run = json["run"]?.intValue
    counts = Self.numbers(json["items"])
    errors = Self.numbers(json["errors"])
    for member in Work.allCases { work[member] = json["work"]?[member.rawValue]?.intValue }
    for figure in OutputFigures.all {
      figures[keyPath: figure.place] = json["output"]?[figure.member]?.intValue
    }
  }

  private static func numbers(_ json: JSONValue?) -> [String: Int] {
    guard case .object(let members)? = json else { return [:] }
    return members.reduce(into: [:]) { $0[$1.name] = $1.value.intValue }
  }
}
