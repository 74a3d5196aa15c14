import Testing

@testable import TesseraPipeline

@Suite struct FailureWatchTests {
  /// The results of items: the host of each, and whether it is good.
  private func run(
    _ limit: Double, _ outcomes: [(host: String, isGood: Bool)]
  ) -> (after: Int, sentence: String)? {
    var watch = FailureWatch(limit: limit)
    for (index, (host, isGood)) in outcomes.enumerated() {
      let error = isGood ? nil : (code: index % 10 == 0 ? "tls" : "dns", message: "No such name.")
      watch.begin(host)
      if let sentence = watch.diagnosis(after: error, of: host) { return (index + 1, sentence) }
    }
    return nil
  }

  /// As above, with one host.
  private func run(_ limit: Double, _ outcomes: [Bool]) -> (after: Int, sentence: String)? {
    run(limit, outcomes.map { ("a.example", $0) })
  }

  private func items(_ host: String, _ isGood: Bool, _ count: Int) -> [(String, Bool)] {
    [(String, Bool)](repeating: (host, isGood), count: count)
  }

  @Test func stopsAfterAHundredItemsIfAllFail() {
    let found = run(90, [Bool](repeating: false, count: 500))
    #expect(found?.after == 100)
    #expect(
      found?.sentence == "100 of the last 100 images failed, which is more than fail-above: 90% "
        + "(90 dns, 10 tls); the last one: No such name. The catalog stays as it was")
  }

  @Test func judgesTheLastTwoHundredItems() {
    let good = [Bool](repeating: true, count: 2_000)
    // 181 of 200 are more than 90 %, 180 are not.
    #expect(run(90, good + [Bool](repeating: false, count: 180) + good) == nil)
    #expect(run(90, good + [Bool](repeating: false, count: 181))?.after == 2_181)
    #expect(run(90, (0..<5_000).map { $0 % 10 == 0 }) == nil)
    #expect(run(0, good + [false])?.after == 2_001)
  }

  @Test func neverStopsAtAHundredPercent() {
    #expect(run(100, [Bool](repeating: false, count: 1_000)) == nil)
    #expect(run(90, [Bool](repeating: false, count: 99)) == nil)
  }

  // MARK: Hosts

  @Test(arguments: [90.0, 50, 10, 0]) func oneFailingHostDoesNotStopTheOthers(_ limit: Double) {
    let dead = items("dead.example", false, 19)
    // 190 of 200 fail, and all others do well: of one host, or of ten.
    let one = (0..<50).flatMap { _ in dead + items("b.example", true, 1) }
    let ten = (0..<50).flatMap { dead + items("\($0 % 10).example", true, 1) }
    for outcomes in [one, ten] { #expect(run(limit, outcomes) == nil) }
    // In a manifest that is sorted by host, nothing else is in between.
    #expect(
      run(limit, items("b.example", true, 5) + items("dead.example", false, 2_000)) == nil)
  }

  @Test func theOthersNeedNotBePerfect() {
    let outcomes = (0..<200).flatMap { round in
      items("dead.example", false, 19) + items("\(round % 10).example", round % 4 > 0, 1)
    }
    #expect(run(90, outcomes) == nil)
  }

  @Test func stopsIfAllHostsFail() {
    let two = (0..<500).map { ("\($0 % 2).example", false) }
    #expect(run(90, two)?.after == 100)
    let many = (0..<500).map { ("\($0).example", false) }
    #expect(run(90, many)?.after == 100)
    // A name server goes down in the middle: each host has done well before.
    let good = (0..<2_000).map { ("\($0 % 5).example", true) }
    #expect(run(90, good + (0..<500).map { ("\($0 % 5).example", false) })?.after == 2_181)
    // Sorted by host, it is noticed when the hosts that did well are forgotten.
    let sorted = (0..<40).flatMap { items("\($0).example", $0 == 0, 50) }
    #expect((500...1_100).contains(run(90, sorted)?.after ?? 0))
  }

  /// A server answers "not found" sooner than another one sends an image.
  @Test func waitsForAHostThatIsInFlight() {
    let error = (code: "http-status", message: "Not found.")
    var watch = FailureWatch(limit: 90)
    watch.begin("slow.example")
    for _ in 0..<500 {
      watch.begin("dead.example")
      #expect(watch.diagnosis(after: error, of: "dead.example") == nil)
    }
    var failing = watch
    #expect(failing.diagnosis(after: error, of: "slow.example") != nil)
    #expect(watch.diagnosis(after: nil, of: "slow.example") == nil)
    #expect(watch.diagnosis(after: error, of: "dead.example") == nil)
  }

  /// Failures of earlier runs do not stop this one, and hide nothing.
  @Test func onlyNewFailuresCount() {
    let error = (code: "decode", message: "It is damaged.")
    var watch = FailureWatch(limit: 90)
    func take(_ host: String, counts: Bool) -> Bool {
      watch.begin(host)
      return watch.diagnosis(after: error, of: host, counts: counts) != nil
    }
    for _ in 0..<1_000 { #expect(!take("b.example", counts: false)) }
    for _ in 0..<99 {
      #expect(!take("a.example", counts: true))
      #expect(!take("b.example", counts: false))
    }
    #expect(take("a.example", counts: true))
  }
}
