import TesseraTestSupport
import Testing

@testable import TesseraNet

/// The queue of requests beside a list that is sorted anew for each question.
@Suite struct QueueModelTests {
  private struct Entry {
    var identifier: Int
    var host: String
    var turn: Int
    var isContinued: Bool
  }

  /// The entries in the order in which they may start: those of one turn as they arrived.
  private static func order(_ entries: [Entry]) -> [Entry] {
    entries.enumerated().sorted {
      ($0.element.isContinued ? 0 : 1, $0.element.turn, $0.offset)
        < ($1.element.isContinued ? 0 : 1, $1.element.turn, $1.offset)
    }.map(\.element)
  }

  private static let hosts = ["a", "b", "c"]

  /// A new entry, and whether its turn is given. Each turn occurs once, as in a run.
  private static func entry(
    _ identifier: Int, _ next: Int, _ random: inout SplitMix
  ) -> (Entry, isGiven: Bool) {
    let isGiven = Bool.random(using: &random)
    let entry = Entry(
      identifier: identifier, host: hosts.randomElement(using: &random) ?? "a",
      turn: isGiven ? next + Int.random(in: 0...2, using: &random) : next,
      isContinued: Int.random(in: 0..<4, using: &random) == 0)
    return (entry, isGiven)
  }

  @Test(arguments: [1, 2, 3])
  func theNextIsTheLowestTurnOfTheHostsThatMayStart(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    var queue = RequestQueue<Int>()
    var model: [Entry] = []
    var nextTurn = 0
    for step in 0..<2_000 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3:
        let (entry, isGiven) = Self.entry(step, nextTurn, &random)
        queue.add(
          step, identifier: step, host: entry.host, turn: isGiven ? entry.turn : nil,
          isContinued: entry.isContinued)
        model.append(entry)
        nextTurn = max(nextTurn, entry.turn) + 1
      case 4, 5:
        let allowed = Set(Self.hosts.filter { _ in Bool.random(using: &random) })
        let only = Int.random(in: 0..<3, using: &random) == 0
        let next = Self.order(model).first {
          allowed.contains($0.host) && (!only || $0.isContinued)
        }
        model.removeAll { $0.identifier == next?.identifier }
        #expect(
          queue.takeNext(onlyContinued: only, where: { allowed.contains($0) }) == next?.identifier)
      case 6:
        let identifier = model.randomElement(using: &random)?.identifier ?? -1
        model.removeAll { $0.identifier == identifier }
        #expect(queue.remove(identifier) == (identifier >= 0 ? identifier : nil))
        #expect(queue.remove(identifier) == nil)
      default:
        guard step % 20 == 0 else { continue }
        let gone = model.filter { $0.host == "a" }.map(\.identifier)
        model.removeAll { $0.host == "a" }
        #expect(queue.takeAll(of: "a").sorted() == gone.sorted())
      }
      Self.compare(queue, model)
    }
    #expect(queue.takeAll().sorted() == model.map(\.identifier).sorted())
    #expect(queue.isEmpty && queue.hosts.isEmpty)
  }

  private static func compare(_ queue: RequestQueue<Int>, _ model: [Entry]) {
    #expect(queue.count == model.count)
    #expect(queue.isEmpty == model.isEmpty)
    #expect(queue.hosts == Set(model.map(\.host)))
    #expect(queue.hasEntries("a") == model.contains { $0.host == "a" })
    let continued = model.filter(\.isContinued).map(\.identifier).sorted()
    #expect(queue.allContinued.map(\.identifier).sorted() == continued)
    #expect(queue.allContinued.allSatisfy { $0.identifier == $0.element })
  }

  /// Turns that are lower than those that wait go before them, and equal ones behind.
  @Test func lateArrivalsFindTheirPlace() {
    var queue = RequestQueue<String>()
    let arrivals = [("d", 9), ("a", 1), ("c", 5), ("b", 5), ("e", 9)]
    for (index, (name, turn)) in arrivals.enumerated() {
      queue.add(name, identifier: index, host: "h", turn: turn, isContinued: false)
    }
    queue.add("f", identifier: 9, host: "h", isContinued: false)
    #expect(queue.remove(2) == "c")
    #expect(queue.takeNext(where: { _ in true }) == "a")
    queue.add("first", identifier: 10, host: "h", turn: 0, isContinued: false)
    #expect(queue.takeAll() == ["first", "b", "d", "e", "f"])
    // One without a turn is behind all others.
    queue.add("g", identifier: 11, host: "h", turn: 99, isContinued: false)
    queue.add("h", identifier: 12, host: "h", isContinued: false)
    queue.add("i", identifier: 13, host: "h", turn: 99, isContinued: false)
    #expect(queue.takeAll() == ["g", "i", "h"])
  }
}
