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
}
