import Testing

@testable import TesseraOutput

/// When a disk is full, from the sizes of an output over time.
@Suite struct DiskForecastTests {
  private static let day = 86_400.0

  /// A point for each size, some hours apart, the last one now.
  private static func growth(_ sizes: [Int], hours: Double = 12) -> Double? {
    let now = 100 * day
    let points = sizes.enumerated().map { index, bytes in
      DiskForecast.Point(
        time: now - Double(sizes.count - 1 - index) * hours * 3_600, bytes: bytes)
    }
    // In any order.
    return DiskForecast.growth(points.reversed(), now: now).map { ($0 * day).rounded() }
  }

  @Test func withTooLittleNothingIsSaid() {
    #expect(Self.growth([]) == nil)
    #expect(Self.growth([1, 2, 3, 4]) == nil)
    #expect(Self.growth([1, 2, 3, 4, 5]) == 2)
    // Five runs within a day.
    #expect(Self.growth([1, 2, 3, 4, 5], hours: 5.99) == nil)
    #expect(Self.growth([1, 2, 3, 4, 5], hours: 6) == 4)
    // All at the same time.
    #expect(Self.growth([1, 2, 3, 4, 5], hours: 0) == nil)
  }

  @Test func oneLargeStepDoesNotDecide() {
    let steady = (0..<20).map { $0 * 100 }
    #expect(Self.growth(steady) == 200)
    // The first run made nearly all.
    #expect(Self.growth([0] + steady.dropFirst().map { $0 + 1_000_000 }) == 200)
    // `prune` deleted much at once.
    let pruned = steady.enumerated().map { $0 < 17 ? $1 + 5_000 : $1 }
    #expect((150...200).contains(Self.growth(pruned) ?? 0))
    #expect(Self.growth(Array(repeating: 7, count: 9)) == 0)
    #expect(Self.growth(Array(steady.reversed())) == -200)
  }

  @Test func onlyTheLastThirtyDaysCount() {
    let now = 100 * Self.day
    var points = (0..<60).map {
      DiskForecast.Point(
        time: now - Double(59 - $0) * Self.day, bytes: $0 < 30 ? $0 * 1_000 : 30_000)
    }
    #expect(DiskForecast.growth(points, now: now) == 0)
    // The clock was set back: what is in the future does not count.
    points.append(.init(time: now + Self.day, bytes: 1_000_000_000))
    #expect(DiskForecast.growth(points, now: now) == 0)
    let many = (0..<5_000).map { DiskForecast.Point(time: now - Double($0) * 500, bytes: -$0 * 5) }
    #expect(abs((DiskForecast.growth(many, now: now) ?? 0) - 0.01) < 1e-9)
  }

  @Test(arguments: [
    (2.0, 100, 50.0), (0, 100, nil), (-1, 100, nil), (1, 0, 0), (1, -5, 0),
    (1, 5 * 365 * 86_400, 5.0 * 365 * 86_400), (1, 5 * 365 * 86_400 + 1, nil),
  ])
  func theTimeIsThatOfTheFreeBytes(_ growth: Double, _ free: Int, _ seconds: Double?) {
    #expect(DiskForecast.timeToFull(growth: growth, free: free) == seconds)
  }

  @Test func figuresSayBoth() {
    var figures = OutputFigures()
    let points = (0..<10).map { DiskForecast.Point(time: Double($0) * Self.day, bytes: $0 * 1_000) }
    figures.foresee(points, now: 9 * Self.day)
    #expect(figures.bytesPerDay == 1_000 && figures.secondsToFull == nil)
    figures.freeBytes = 5_000
    figures.foresee(points, now: 9 * Self.day)
    #expect(figures.secondsToFull == 5 * 86_400)
    figures.foresee([], now: 0)
    #expect(figures.bytesPerDay == nil && figures.secondsToFull == nil)
    #expect(figures.known.map(\.declaration.member) == ["freeBytes"])
  }

  @Test func eachFigureIsDeclaredOnce() {
    let all = OutputFigures.all
    #expect(Set(all.map(\.member)).count == all.count)
    #expect(Set(all.map(\.metric)).count == all.count)
    #expect(all.allSatisfy { $0.metric.hasPrefix("tessera_output_") && $0.help.hasSuffix(".") })
    for (index, figure) in all.enumerated() {
      var figures = OutputFigures()
      figures[keyPath: figure.place] = 7
      #expect(figures.known.map(\.declaration.member) == [all[index].member])
    }
    // All members are declared.
    #expect(Mirror(reflecting: OutputFigures()).children.count == all.count)
  }
}
