internal import TesseraOutput
internal import TesseraSystem

/// What the runs of the last thirty days came to together, as far as the history has them. Runs of shards count each; one that
/// was killed has left no entry, and does not count.
struct HistorySummary: Sendable, Equatable, Encodable {
  static let days = 30
  private let days = Self.days

  /// When the first run ended that the history has, in seconds since 1970, if that is less than thirty days ago; nil if it
  /// reaches further back.
  private(set) var since: Double?
  /// The same in UTC.
  private(set) var sinceTime: String?
  var runs = 0
  /// Those of them that came to no result, and those that a signal stopped.
  var failed = 0
  var stopped = 0
  var requests = 0
  var fetchedBytes = 0
  /// Files that were made.
  var encodes = 0
  var writtenBytes = 0

  private enum CodingKeys: String, CodingKey {
    case days
    case sinceTime = "since"
    case runs, failed, stopped, requests, fetchedBytes, encodes, writtenBytes
  }

  /// - Parameters:
  ///   - entries: in any order; those of tools do not count.
  ///   - now: in seconds since 1970. Entries after it were made before the clock was set back, and count.
  init(_ entries: [HistoryEntry], now: Double) {
    let start = now - Double(Self.days) * 86_400
    if let first = entries.map(\.ended).min(), first > start {
      (since, sinceTime) = (first, Host.timestamp(first))
    }
    for entry in entries where entry.kind == .run && entry.ended >= start {
      runs += 1
      if entry.outcome == .failed { failed += 1 }
      if entry.outcome == .stopped { stopped += 1 }
      requests += entry.work[.requests] ?? 0
      fetchedBytes += entry.work[.fetchedBytes] ?? 0
      encodes += entry.work[.encodes] ?? 0
      writtenBytes += entry.work[.writtenBytes] ?? 0
    }
  }
}
