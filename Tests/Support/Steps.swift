import Foundation

/// Whether tests go through all cases, which takes an hour more: `Tests/run --soak`.
public let isSoak = ProcessInfo.processInfo.environment["TESSERA_SOAK"] != nil

/// The cases of a test that are tried: all in a soak, otherwise each fourth, from one that is drawn. A test that goes
/// through all calls of a program then takes a quarter of the time, and a few runs of it go through all.
public func tried<Case>(of cases: [Case]) -> [Case] {
  guard !isSoak else { return cases }
  return stride(from: Int.random(in: 0..<4), to: cases.count, by: 4).map { cases[$0] }
}
