import TesseraTestSupport
import Testing

@testable import TesseraWorkers

/// How many workers a run has, and how much memory each of them.
@Suite struct WorkerBudgetTests {
  struct Case: Sendable {
    var requested: Int?
    var memory = 2_000_000_000
    var available: Int?
    var count: Int
    var each: Int
  }

  /// On 8 processors.
  @Test(arguments: [
    // Nothing limits the memory.
    Case(count: 8, each: 2_000_000_000), Case(requested: 3, count: 3, each: 2_000_000_000),
    // Enough for all.
    Case(available: 64_000_000_000, count: 8, each: 2_000_000_000),
    // Divided.
    Case(available: 8_256_000_000, count: 8, each: 1_000_000_000),
    Case(requested: 4, available: 8_256_000_000, count: 4, each: 2_000_000_000),
    Case(requested: 5, available: 8_256_000_000, count: 5, each: 1_600_000_000),
    // Too little for all: fewer workers.
    Case(available: 2_304_000_000, count: 4, each: 512_000_000),
    Case(available: 600_000_000, count: 1, each: 512_000_000),
    Case(available: 1, count: 1, each: 512_000_000),
    // The user's numbers come first.
    Case(requested: 8, available: 2_304_000_000, count: 8, each: 512_000_000),
    Case(memory: 300_000_000, available: 2_656_000_000, count: 8, each: 300_000_000),
    Case(memory: 300_000_000, available: 856_000_000, count: 2, each: 300_000_000),
    Case(memory: 300_000_000, available: 1, count: 1, each: 300_000_000),
  ])
  func dividesTheMemoryOfTheControlGroup(_ test: Case) {
    let budget = WorkerBudget(
      requested: test.requested, processors: 8, memory: test.memory, available: test.available)
    #expect(budget.count == test.count)
    #expect(budget.memory == test.each)
  }

  /// 256 MB are reserved, and a worker has 512 MB at least.
  @Test func aWorkerMoreNeedsItsWholeShare() {
    expectLeast(256_000_000 + 3 * 512_000_000) {
      WorkerBudget(requested: nil, processors: 8, memory: 2_000_000_000, available: $0).count == 3
    }
    expectMost(512_000_000) {
      WorkerBudget(requested: nil, processors: 1, memory: $0, available: 1).memory == $0
    }
  }

  @Test(
    .faults(.w19),
    arguments: [
      (7, true, nil), (1, true, nil), (0, true, "it could read this machine's files (no Landlock)"),
      (1, false, "it could use the network and start processes (no seccomp)"),
      (
        0, false,
        "it could read this machine's files, use the network and start processes (neither Landlock "
          + "nor seccomp)"
      ),
    ] as [(Int, Bool, String?)])
  func aGapInTheConfinementIsNamed(_ landlock: Int, _ seccomp: Bool, _ gap: String?) {
    #expect(Confinement(landlock: landlock, hasSeccomp: seccomp).gap == gap)
  }

  @Test func settingsAreKept() {
    var settings = WorkerSettings(
      executable: "/usr/bin/w", count: 3, memory: 5, time: .seconds(7))
    #expect(settings.executable == "/usr/bin/w")
    #expect((settings.count, settings.memory) == (3, 5))
    #expect(settings.time == .seconds(7))
    #expect(settings.jobsPerWorker == 100)
    settings.jobsPerWorker = 2
    #expect(settings.jobsPerWorker == 2)
  }
}
