import Glibc

/// Plans a million images of many sizes on one core and reports the time and the memory.
@main enum PlanSpeed {
  static func main() {
    let settings = PlanSettings(slots: [
      Slot("avatar", width: 36, height: 36, mode: .clip), Slot("card", width: 180, height: nil),
      Slot("hero", width: 414, height: 414, mode: .fill),
    ])
    let count = 1_000_000
    var made = 0
    var asked = 0
    let start = ContinuousClock.now
    let before = peakMemory
    for index in 0..<count {
      // Sides from 1 to 8,000 in an irregular order.
      let size = Size(1 + index * 7_919 % 8_000, 1 + index * 104_729 % 8_000)
      let plan = Plan(for: PlanSource(size: size), settings: settings)
      made += plan.files.count
      asked += plan.asked
    }
    let time = start.duration(to: .now).components
    let seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
    print("\(count) images: \(asked) files requested, \(made) made; \(seconds) s")
    print("peak memory \(peakMemory) kB, \(peakMemory - before) kB of it for the plans")
  }

  /// In kilobytes.
  private static var peakMemory: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}
