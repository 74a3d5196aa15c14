import TesseraTestSupport
import Testing

@testable import TesseraNet

@Suite struct RequestQueueTests {
  @Test func keepsTheOrderOfArrivalWithContinuedRequestsFirst() {
    var queue = RequestQueue<Int>()
    for number in 1...6 {
      queue.add(number, identifier: number, host: number % 2 == 0 ? "a" : "b", isContinued: false)
    }
    queue.add(100, identifier: 100, host: "a", isContinued: true)
    #expect(queue.count == 7)
    var taken: [Int] = []
    while let next = queue.takeNext(where: { _ in true }) { taken.append(next) }
    #expect(taken == [100, 1, 2, 3, 4, 5, 6])
    #expect(queue.isEmpty && queue.hosts.isEmpty)
  }

  @Test func turnsTakePrecedenceOverArrival() {
    var queue = RequestQueue<Int>()
    for turn in [3, 1, 2, -5, 8, 7, 4] {
      queue.add(
        turn, identifier: turn, host: turn % 2 == 0 ? "a" : "b", turn: turn, isContinued: false)
    }
    queue.add(100, identifier: 100, host: "a", isContinued: false)
    var taken: [Int] = []
    while let next = queue.takeNext(where: { _ in true }) { taken.append(next) }
    #expect(taken == [-5, 1, 2, 3, 4, 7, 8, 100])
  }

  @Test func skipsHostsThatMayNotStart() {
    var queue = RequestQueue<Int>()
    for number in 1...4 {
      queue.add(number, identifier: number, host: number < 3 ? "a" : "b", isContinued: false)
    }
    #expect(queue.takeNext(where: { $0 == "b" }) == 3)
    #expect(queue.takeNext(onlyContinued: true, where: { _ in true }) == nil)
    #expect(queue.remove(1) == 1)
    #expect(queue.remove(1) == nil)
    #expect(queue.takeAll(of: "a") == [2])
    #expect(queue.count == 1)
    #expect(queue.takeAll() == [4])
    #expect(queue.takeNext(where: { _ in true }) == nil)
  }

  /// What has failed at a host says little of whether it works again.
  @Test func aHostIsProbedWithSomethingNew() {
    var queue = RequestQueue<Int>()
    for (number, isContinued) in [(1, true), (2, false), (3, true)] {
      queue.add(number, identifier: number, host: "a", isContinued: isContinued)
    }
    func next(onlyContinued: Bool = false, isProbed: Bool) -> Int? {
      queue.takeNext(
        onlyContinued: onlyContinued, where: { _ in true }, isProbed: { _ in isProbed })
    }
    #expect(next(onlyContinued: true, isProbed: true) == 1)
    #expect(next(isProbed: true) == 2)
    // Nothing new is left.
    #expect(next(isProbed: true) == 3)
    #expect(next(isProbed: true) == nil)
    queue.add(4, identifier: 4, host: "a", isContinued: false)
    queue.add(5, identifier: 5, host: "a", isContinued: true)
    #expect(next(isProbed: false) == 5)
  }

  /// Behaves like an array, whichever elements are removed.
  @Test func agreesWithAnArray() {
    var generator = SplitMix(seed: 1)
    var queue = RequestQueue<Int>()
    var list: [Int] = []
    for step in 0..<4_000 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        queue.add(step, identifier: step, host: "a", isContinued: false)
        list.append(step)
      case 2:
        let expected = list.isEmpty ? nil : list.removeFirst()
        #expect(queue.takeNext(where: { _ in true }) == expected)
      default:
        guard let gone = list.randomElement(using: &generator) else { continue }
        list.removeAll { $0 == gone }
        #expect(queue.remove(gone) == gone)
      }
      #expect(queue.count == list.count)
    }
  }
}
