import TesseraPipeline
import Testing

@Suite struct RecentValuesTests {
  @Test func theLastOnesAreKeptAndMemoryHasABound() {
    var values = RecentValues<Int>(atLeast: 10)
    for number in 0..<1_000 {
      values["\(number)"] = number
      // The last ten are here, and one that is looked up again and again.
      for recent in max(0, number - 9)...number { #expect(values["\(recent)"] == recent) }
      #expect(values["0"] == 0)
    }
    let kept = (0..<1_000).count { values["\($0)"] != nil }
    #expect((10...20).contains(kept), "\(kept)")
    values["999"] = 5
    #expect(values["999"] == 5)
  }

  @Test(arguments: 1...5) func atMostTwiceAsManyAreKept(_ limit: Int) {
    for count in 1...20 {
      var values = RecentValues<Int>(atLeast: limit)
      for number in 0..<count { values["\(number)"] = number }
      let kept = (0..<count).count { values["\($0)"] != nil }
      #expect(kept >= min(count, limit) && kept <= 2 * limit, "\(kept) of \(count)")
    }
  }
}
