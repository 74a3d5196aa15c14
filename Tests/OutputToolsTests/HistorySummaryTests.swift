import Testing

@testable import TesseraOutput
@testable import tessera

/// The sums of the last thirty days.
@Suite struct HistorySummaryTests {
  private static let day = 86_400.0

  private static func entry(
    _ days: Double, _ outcome: HistoryEntry.Outcome = .done, _ kind: HistoryEntry.Kind = .run
  ) -> HistoryEntry {
    var entry = HistoryEntry(kind, ended: days * day, seconds: 1, outcome)
    entry.work = [.requests: 2, .fetchedBytes: 30, .encodes: 4, .writtenBytes: 50]
    return entry
  }

  @Test func runsOfThirtyDaysAreAddedUp() {
    let entries = [
      Self.entry(60, .failed), Self.entry(70.5, .failed), Self.entry(80, .stopped),
      Self.entry(90, .someFailed), Self.entry(95), Self.entry(96, .done, .prune),
      Self.entry(97, .done, .merge), Self.entry(101),
    ]
    let sum = HistorySummary(entries, now: 100 * Self.day)
    #expect(sum.since == nil)
    #expect((sum.runs, sum.failed, sum.stopped) == (5, 1, 1))
    #expect((sum.requests, sum.fetchedBytes, sum.encodes, sum.writtenBytes) == (10, 150, 20, 250))
    // Exactly thirty days ago counts.
    #expect(HistorySummary(entries, now: 90 * Self.day).runs == 6)
  }

  @Test func aHistoryThatBeginsLaterSaysWhen() {
    let sum = HistorySummary([Self.entry(20), Self.entry(9)], now: 30 * Self.day)
    #expect(sum.since == 9 * Self.day && sum.sinceTime == "1970-01-10T00:00:00Z")
    #expect(HistorySummary([], now: 5).since == nil && HistorySummary([], now: 5).runs == 0)
  }
}
