import Foundation

/// A seeded random generator (SplitMix64; Steele, Lea and Flood, 2014), so that failures are
/// reproducible.
///
/// `TESSERA_TEST_SEED`, a number, changes every seed: the same tests with other values.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    let other = ProcessInfo.processInfo.environment["TESSERA_TEST_SEED"].flatMap { UInt64($0) } ?? 0
    state = seed &+ other &* 0xD134_2543_DE82_EF95
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
