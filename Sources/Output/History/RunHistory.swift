internal import TesseraJSON
package import TesseraManifest

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
