package import TesseraJSON
package import TesseraManifest
internal import TesseraSystem

/// The file `runs.jsonl` beside a state: what the last runs did, a line each, the oldest first.
///
/// It has a thousand lines and a megabyte at most: an older half leaves when there are more. Of each `prune` that found nothing
/// to delete, only the last is kept: with one beside each run, they would be half of the lines. A line that is not whole, as a
/// killed process leaves one, is ignored.
package struct RunHistory: Sendable, Equatable {
  static let name = "runs.jsonl"

  /// Nil for runs of all items, and for tools.
  package var shard: Shard?
  package private(set) var entries: [HistoryEntry]
  /// The lines of the entries, as they are in the file, each with its end.
  private(set) var document: [UInt8]

  private static let (mostLines, mostBytes) = (1_000, 1_000_000)
  /// A longer file is not one of these.
  static let readBytes = 4 * mostBytes

  package init(_ document: [UInt8] = [], shard: Shard? = nil) {
    self.shard = shard
    self.document = document
    entries = Self.lines(of: document).compactMap(Self.entry)
  }

  private static func lines(of document: [UInt8]) -> [ArraySlice<UInt8>] {
    document.split(separator: UInt8(ascii: "\n"))
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> HistoryEntry? {
    (try? JSONParser.parse(Array(line))).flatMap(HistoryEntry.init)
  }

  /// The history with an entry more; without its older half, if there would be too many.
  package func adding(_ entry: HistoryEntry) -> RunHistory {
    let line = JSONCoding.text(entry)
    var next = entry.isIdlePrune ? withoutIdlePrunes : self
    // What a killed process has left of a line ends here.
    let isWhole = next.document.isEmpty || next.document.last == UInt8(ascii: "\n")
    next.document += (isWhole ? [] : [UInt8(ascii: "\n")]) + line
    next.entries.append(entry)
    let isTooLong = next.document.count > Self.mostBytes || next.entries.count > Self.mostLines
    return isTooLong ? next.trimmed() : next
  }

  private var withoutIdlePrunes: RunHistory {
    guard entries.contains(where: \.isIdlePrune) else { return self }
    let kept = Self.lines(of: document).filter { Self.entry($0)?.isIdlePrune != true }
    return RunHistory(Array(kept.map { $0 + [UInt8(ascii: "\n")] }.joined()), shard: shard)
  }

  private func trimmed() -> RunHistory {
    var kept: [[UInt8]] = []
    var bytes = 0
    for line in Self.lines(of: document).reversed() {
      guard kept.count < Self.mostLines / 2, bytes + line.count < Self.mostBytes / 2 else { break }
      bytes += line.count + 1
      kept.append(line + [UInt8(ascii: "\n")])
    }
    return RunHistory(Array(kept.reversed().joined()), shard: shard)
  }
}

extension RunHistory {
  /// The sizes of an output over time, from the histories of its runs: those of all items, or of the shards of the division
  /// that ran last. Shards count together, from when each of them has a size.
  package static func sizes(in histories: [RunHistory]) -> [DiskForecast.Point] {
    // What tools have left says nothing of the division, unless it has a size.
    func end(_ history: RunHistory) -> Double {
      history.entries.last { $0.size != nil }?.ended ?? 0
    }
    let last = histories.max { end($0) < end($1) }
    let ofOne = histories.filter { $0.shard?.count == last?.shard?.count }
    let points = ofOne.enumerated().flatMap { index, history in
      history.entries.compactMap(\.size).map { (history: index, point: $0) }
    }
    var latest: [Int: Int] = [:]
    var sizes: [DiskForecast.Point] = []
    for (history, point) in points.sorted(by: { $0.point.time < $1.point.time }) {
      latest[history] = point.bytes
      guard latest.count == ofOne.count else { continue }
      sizes.append(.init(time: point.time, bytes: latest.values.reduce(0, +)))
    }
    return sizes
  }
}

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
    /// Images that fail since this run, and that work again.
    case newFailures, solvedFailures
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

/// What is counted of an output as a whole: the one declaration that the history of runs, `tessera status --json` and the
/// metrics are made of. A figure is nil if it is not known.
package struct OutputFigures: Sendable, Equatable, Encodable {
  /// The files of images that the state records, and their bytes.
  package var files: Int?
  package var fileBytes: Int?
  /// The state on its disk, with its log.
  package var stateBytes: Int?
  /// What is left for this user on the output's file system; nil for an object store.
  package var freeBytes: Int?
  /// Earlier catalogs that `rollback` can go back to.
  package var keptCatalogs: Int?
  /// The files that `prune` would delete now, and their bytes.
  package var prunableFiles: Int?
  package var prunableBytes: Int?
  /// How long ago the server last confirmed the source of a stale image that is not gone, of the one where it is longest;
  /// nil without any.
  package var oldestStaleSeconds: Int?
  /// How long such an image stays stale before it fails: the pipeline's `keep-stale`.
  package var keepStaleSeconds: Int?
  /// By how many bytes files and state grow in a day; nil if there is too little data. May be negative.
  package var bytesPerDay: Int?
  /// Until the disk is full at this growth; nil if it is not known, or far away.
  package var secondsToFull: Int?

  package init() {}

  /// One figure, as each document names it.
  package struct Declaration {
    /// In JSON.
    package let member: String
    package let metric: String
    package let help: String
    package let place: WritableKeyPath<OutputFigures, Int?>
  }

  package static var all: [Declaration] {
    [
      Declaration(
        member: "files", metric: "tessera_output_files",
        help: "Files of images that the state records.", place: \.files),
      Declaration(
        member: "fileBytes", metric: "tessera_output_file_bytes", help: "Bytes of these files.",
        place: \.fileBytes),
      Declaration(
        member: "stateBytes", metric: "tessera_output_state_bytes", help: "Bytes of the state.",
        place: \.stateBytes),
      Declaration(
        member: "freeBytes", metric: "tessera_output_free_bytes",
        help: "Bytes left on the file system of the output.", place: \.freeBytes),
      Declaration(
        member: "keptCatalogs", metric: "tessera_output_kept_catalogs",
        help: "Earlier catalogs that are kept.", place: \.keptCatalogs),
      Declaration(
        member: "prunableFiles", metric: "tessera_output_prunable_files",
        help: "Files that prune would delete now.", place: \.prunableFiles),
      Declaration(
        member: "prunableBytes", metric: "tessera_output_prunable_bytes",
        help: "Bytes of the files that prune would delete now.", place: \.prunableBytes),
      Declaration(
        member: "oldestStaleSeconds", metric: "tessera_output_oldest_stale_seconds",
        help: "How long ago the oldest stale image was last confirmed.", place: \.oldestStaleSeconds
      ),
      Declaration(
        member: "keepStaleSeconds", metric: "tessera_output_keep_stale_seconds",
        help: "How long a stale image is shown before it fails (keep-stale).",
        place: \.keepStaleSeconds),
      Declaration(
        member: "bytesPerDay", metric: "tessera_output_growth_bytes_per_day",
        help: "By how much files and state grow in a day.", place: \.bytesPerDay),
      Declaration(
        member: "secondsToFull", metric: "tessera_output_full_seconds",
        help: "Until the disk is full at this growth.", place: \.secondsToFull),
    ]
  }

  /// Computes the growth, and when the disk is full.
  ///
  /// - Parameters:
  ///   - sizes: of files and state over time.
  ///   - now: in seconds since 1970.
  package mutating func foresee(_ sizes: [DiskForecast.Point], now: Double) {
    let growth = DiskForecast.growth(sizes, now: now)
    bytesPerDay = growth.map { Int($0 * 86_400) }
    secondsToFull = growth.flatMap { growth in
      freeBytes.flatMap { DiskForecast.timeToFull(growth: growth, free: $0) }
    }.map { Int($0) }
  }

  /// Those that are known, in the order of the declaration.
  package var known: [(declaration: Declaration, value: Int)] {
    Self.all.compactMap { declaration in self[keyPath: declaration.place].map { (declaration, $0) }
    }
  }
}

/// How an output grows, and when its disk is full if it goes on like this.
///
/// The growth is the median of the slopes between all pairs of points (the estimator of Theil and Sen): one large run, or
/// one large `prune`, does not decide it.
package enum DiskForecast {
  /// The size of an output at a time, in seconds since 1970.
  package struct Point: Sendable, Equatable {
    package var time: Double
    package var bytes: Int

    package init(time: Double, bytes: Int) { (self.time, self.bytes) = (time, bytes) }
  }

  /// What was longer ago says little of the present.
  private static let window = 30.0 * 86_400
  /// With less, nothing is said.
  private static let (fewest, shortest) = (5, 86_400.0)
  /// The slopes of their pairs are computed in a millisecond.
  private static let most = 100
  /// A later date would be a guess.
  private static let horizon = 5.0 * 365 * 86_400

  /// In bytes per second; nil if there are fewer than five points in the last thirty days, or less than a day between the
  /// first and the last of them. Points after `now` do not count: the clock was set back.
  package static func growth(_ points: [Point], now: Double) -> Double? {
    let recent = thinned(
      points.filter { $0.time <= now && $0.time >= now - window }.sorted { $0.time < $1.time })
    guard recent.count >= fewest, let first = recent.first, let last = recent.last,
      last.time - first.time >= shortest
    else { return nil }
    var slopes: [Double] = []
    for (index, point) in recent.enumerated() {
      for later in recent[(index + 1)...] where later.time > point.time {
        slopes.append(Double(later.bytes - point.bytes) / (later.time - point.time))
      }
    }
    slopes.sort()
    let middle = slopes.count / 2
    return slopes.count % 2 == 1 ? slopes[middle] : (slopes[middle - 1] + slopes[middle]) / 2
  }

  /// In seconds; nil if the output does not grow, or if that is more than five years away.
  package static func timeToFull(growth: Double, free: Int) -> Double? {
    guard growth > 0 else { return nil }
    let seconds = Double(max(0, free)) / growth
    return seconds <= horizon ? seconds : nil
  }

  /// At most ``most``, evenly, the first and the last included.
  private static func thinned(_ points: [Point]) -> [Point] {
    guard points.count > most else { return points }
    return (0..<most).map { points[$0 * (points.count - 1) / (most - 1)] }
  }
}
