import TesseraTestSupport
import Testing

@testable import TesseraNet

@Suite struct StallWatchTests {
  /// The bytes of thirty seconds, and the second in which a stall is reported.
  private static let transfers: [(bytes: [Int], stall: Int?)] = [
    // Too slow from the beginning, and just fast enough.
    (each(999, 0..<30), 10), (each(1_000, 0..<30), nil),
    // A fast start does not make up for what follows: each window counts for itself.
    (each(50_000, 0..<1), 20), (each(50_000, 0..<10), 20), (each(50_000, 0..<11), 30),
    // A burst just before the window ends, in the first one only.
    (each(10_000, 9..<10), 20),
  ]

  private static func each(_ count: Int, _ seconds: Range<Int>) -> [Int] {
    (0..<30).map { seconds.contains($0) ? count : 0 }
  }

  /// At 1000 bytes a second, over windows of ten seconds.
  @Test(.faults(.n1), arguments: transfers)
  func eachWindowMustBeFastEnough(_ bytes: [Int], _ expected: Int?) {
    let start = ContinuousClock.now
    var watch = StallWatch(minimumSpeed: 1_000, now: start)
    var stalled: Int?
    for (second, count) in bytes.enumerated() where stalled == nil {
      watch.received(count)
      if watch.isStalled(now: start.advanced(by: .seconds(second + 1))) { stalled = second + 1 }
    }
    #expect(stalled == expected)
  }
}
