import Testing

@testable import TesseraPipeline

@Suite struct FailureWatchTests {
  private func run(_ limit: Double, _ outcomes: [Bool]) -> (after: Int, sentence: String)? {
    var watch = FailureWatch(limit: limit)
    for (index, isGood) in outcomes.enumerated() {
      let error = isGood ? nil : (code: index % 10 == 0 ? "tls" : "dns", message: "No such name.")
      if let sentence = watch.diagnosis(after: error) { return (index + 1, sentence) }
    }
    return nil
  }

  @Test func stopsAfterAHundredItemsIfAllFail() {
    let found = run(90, [Bool](repeating: false, count: 500))
    #expect(found?.after == 100)
    #expect(
      found?.sentence == "100 of the last 100 images failed, which is more than fail-above: 90% "
        + "(90 dns, 10 tls); the last one: No such name. The last good catalog stands")
  }

  @Test func judgesTheLastTwoHundredItems() {
    let good = [Bool](repeating: true, count: 10_000)
    // 181 of 200 are more than 90 %, 180 are not.
    #expect(run(90, good + [Bool](repeating: false, count: 180) + good) == nil)
    #expect(run(90, good + [Bool](repeating: false, count: 181))?.after == 10_181)
    #expect(run(90, (0..<5_000).map { $0 % 10 == 0 }) == nil)
    #expect(run(0, good + [false])?.after == 10_001)
  }

  @Test func neverStopsAtAHundredPercent() {
    #expect(run(100, [Bool](repeating: false, count: 1_000)) == nil)
    #expect(run(90, [Bool](repeating: false, count: 99)) == nil)
  }
}
