import Testing

@testable import tessera

/// When a log gets a line of progress.
@Suite struct LogPaceTests {
  private static let start = ContinuousClock.now

  /// The seconds at which a run gets a line.
  ///
  /// - Parameter run: the items that have ended, and the requests in flight, by the second.
  private static func lines(
    until end: Int, _ run: (Int) -> (done: Int, fetching: Int)
  ) -> [Int] {
    var pace = LogPace(start: start)
    return stride(from: 5, through: end, by: 5).filter { second in
      var progress = ProgressBar.Progress()
      let (done, fetching) = run(second)
      progress.done = done
      progress.stages = [("waiting", 0), ("fetching", fetching)]
      return pace.isDue(progress, now: start + .seconds(second))
    }
  }

  @Test func aRunThatGoesOnHasALineEachMinute() {
    #expect(Self.lines(until: 180) { ($0, 3) } == [60, 120, 180])
    // Nothing is in flight: it waits for its manifest.
    #expect(Self.lines(until: 125) { _ in (0, 0) } == [60, 120])
  }

  @Test func aSilenceIsReportedOnce() {
    // Sources that do not answer: sixteen seconds are not silent.
    #expect(Self.lines(until: 16) { _ in (0, 19) } == [10])
    #expect(Self.lines(until: 130) { _ in (0, 19) } == [10, 70, 130])
    // Another silence, after something has ended.
    #expect(Self.lines(until: 60) { ($0 < 25 ? 0 : 1, 2) } == [10, 35])
  }
}
