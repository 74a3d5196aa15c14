package import TesseraJSON

/// What a run, `merge`, `prune`, `rollback` or `forget` did, in a line of the history. It has no id, no URL, no path and no message: the history
/// says how an output fares, and not of which images.
package struct HistoryEntry: Sendable, Equatable {
  package enum Kind: String, Sendable { case run, merge, prune, rollback, forget }

  package enum Outcome: String, Sendable, CaseIterable {
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
  package enum Work: String, Sendable, CaseIterable {
    case requests, fetchedBytes, writtenBytes, decodes, encodes, deletedFiles, deletedBytes
  }

  package var kind: Kind
  /// In seconds since 1970.
  package var ended: Double
  package var seconds: Double
  package var outcome: Outcome
  /// Why it failed: a ``RunFailure``, also one of a later version.
  package var reason: String?
  /// The number of the run in the state; nil for one that found nothing to do, and for tools.
  package var run: Int?
  /// Images by status, and those that a run of some left as they were (``others``); those with an error by its code.
  package var counts: [String: Int] = [:]
  package var errors: [String: Int] = [:]
  package var work: [Work: Int] = [:]
  package var figures = OutputFigures()

  package init(_ kind: Kind, ended: Double, seconds: Double, _ outcome: Outcome) {
    (self.kind, self.ended, self.seconds, self.outcome) = (kind, ended, seconds, outcome)
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

  /// The members of its object.
  package func write(to object: inout JSONWriter) {
    object.member("kind", kind.rawValue)
    object.member("ended", Int(ended))
    object.member("seconds", seconds)
    object.member("outcome", outcome.rawValue)
    if let reason { object.member("reason", reason) }
    if let run { object.member("run", run) }
    Self.write(counts.map { ($0, $1) }, as: "items", to: &object)
    Self.write(errors.map { ($0, $1) }, as: "errors", to: &object)
    Self.write(work.map { ($0.rawValue, $1) }, as: "work", to: &object)
    Self.write(figures.known.map { ($0.declaration.member, $0.value) }, as: "output", to: &object)
  }

  private static func write(
    _ numbers: [(name: String, value: Int)], as name: String, to object: inout JSONWriter
  ) {
    guard !numbers.isEmpty else { return }
    object.name(name)
    object.object { list in
      for number in numbers.sorted(by: { $0.name < $1.name }) {
        list.member(number.name, number.value)
      }
    }
  }
}
