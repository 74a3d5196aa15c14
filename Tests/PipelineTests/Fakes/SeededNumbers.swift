/// Numbers that are the same in every run of a test (Knuth's constants).
struct SeededNumbers {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) }

  mutating func next(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % max(1, limit)
  }
}
