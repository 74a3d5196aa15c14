import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

@Suite struct GateTests {
  /// A task that enters a gate, and whether it has.
  private final class Entry: Sendable {
    private let entered = Mutex(false)
    var hasEntered: Bool { entered.withLock(\.self) }

    init(_ gate: Gate, _ bytes: Int = 1) {
      Task {
        await gate.enter(bytes)
        entered.withLock { $0 = true }
      }
    }

    /// Whether the task enters within a second.
    func enters() async -> Bool {
      for _ in 0..<1_000 where !hasEntered { try? await Task.sleep(for: .milliseconds(1)) }
      return hasEntered
    }

    /// Whether the task is still outside after it had time to enter.
    func waits() async -> Bool {
      try? await Task.sleep(for: .milliseconds(20))
      return !hasEntered
    }
  }

  private func gate(
    items: Int = 3, bytes: Int = 100, needsMore: @escaping @Sendable () -> Bool = { false }
  ) -> Gate {
    Gate(items: items, bytes: bytes, needsMore: needsMore)
  }

  private func fill(_ gate: Gate, _ weights: [Int]) async {
    for weight in weights { await gate.enter(weight) }
  }

  @Test func itemsEnterUpToTheirNumber() async {
    let gate = gate()
    await fill(gate, [1, 1, 1])
    let fourth = Entry(gate)
    #expect(await fourth.waits())
    gate.leave(1)
    #expect(await fourth.enters())
  }

  @Test func itemsEnterUpToTheirBytes() async {
    let gate = gate()
    await fill(gate, [60])
    let second = Entry(gate, 41)
    #expect(await second.waits())
    gate.leave(60)
    #expect(await second.enters())
    // 41 + 59 is the limit itself.
    await gate.enter(59)
  }

  @Test func anOversizedItemEntersAlone() async {
    let gate = gate()
    await gate.enter(1_000)
    let second = Entry(gate, 0)
    #expect(await second.waits())
    gate.leave(1_000)
    #expect(await second.enters())
    let oversized = Entry(gate, 1_000)
    #expect(await oversized.waits())
    gate.leave(0)
    #expect(await oversized.enters())
  }

  @Test func idleTransfersLetUpToFourTimesAsManyIn() async {
    let gate = gate(needsMore: { true })
    await fill(gate, Array(repeating: 1, count: 12))
    let another = Entry(gate)
    #expect(await another.waits())
    gate.leave(1)
    #expect(await another.enters())
  }

  @Test func idleTransfersDoNotLiftTheLimitOfBytes() async {
    let gate = gate(needsMore: { true })
    await fill(gate, [50, 50])
    let another = Entry(gate)
    #expect(await another.waits())
    gate.leave(50)
    #expect(await another.enters())
  }

  @Test func aWakeAsksAgainWhetherMoreAreNeeded() async {
    let flag = Flag()
    let gate = gate(needsMore: { flag.isSet })
    await fill(gate, [1, 1, 1])
    let fourth = Entry(gate)
    gate.wake()
    #expect(await fourth.waits())
    flag.set()
    #expect(await fourth.waits(), "nothing woke it")
    gate.wake()
    #expect(await fourth.enters())
  }

  @Test func aClosedGateAdmitsEverything() async {
    let gate = gate()
    await fill(gate, [1, 1, 1])
    let fourth = Entry(gate, 1_000)
    #expect(await fourth.waits())
    gate.close()
    #expect(await fourth.enters())
    await fill(gate, Array(repeating: 1_000, count: 50))
    for _ in 0..<50 { gate.leave(1_000) }
    gate.wake()
  }

  @Test(arguments: [1, 2, 3]) func neverMoreThanAllowedAreInside(_ seed: UInt64) async {
    struct Inside {
      var items = 0
      var bytes = 0
      var mostItems = 0
      /// The most bytes while more than one item was inside.
      var mostBytes = 0
    }
    let flag = Flag()
    let gate = gate(items: 20, bytes: 500, needsMore: { flag.isSet })
    let inside = Counter(Inside())
    var random = SplitMix(seed: seed)
    await withTaskGroup { group in
      for number in 0..<1_000 {
        // One in a hundred is larger than the limit.
        let weight = number % 100 == 7 ? 900 : Int(random.next() % 60)
        let pauses = Int(random.next() % 20)
        await gate.enter(weight)
        inside.update { inside in
          inside.items += 1
          inside.bytes += weight
          inside.mostItems = max(inside.mostItems, inside.items)
          if inside.items > 1 { inside.mostBytes = max(inside.mostBytes, inside.bytes) }
        }
        if number == 500 { flag.set() }
        group.addTask {
          for _ in 0..<pauses { await Task.yield() }
          inside.update { inside in
            inside.items -= 1
            inside.bytes -= weight
          }
          gate.leave(weight)
        }
      }
    }
    let result = inside.value
    #expect(result.mostBytes <= 500)
    #expect(result.mostItems <= 20 * Gate.reach)
    #expect(result.items == 0)
    // Nothing is left inside: an item of any size enters at once.
    await gate.enter(10_000)
  }
}

/// A flag that several tasks share.
final class Flag: Sendable {
  private let state = Mutex(false)
  var isSet: Bool { state.withLock(\.self) }
  func set() { state.withLock { $0 = true } }
}

/// A value that several tasks change.
final class Counter<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value { state.withLock { $0 } }
  func update(_ change: (inout Value) -> Void) { state.withLock { change(&$0) } }
}
