internal import TesseraPlan

/// A ladder of sizes that `plan` compares, by the name that a command line gives it.
package struct Ladder: Sendable, Equatable {
  let rounding: Rounding

  /// `exact`, `half-steps`, `power-of-two`, or sizes in pixels: `320,640,1280`. Nil for anything else.
  package init?(name: String) {
    guard let rounding = Rounding(name: name) else { return nil }
    self.rounding = rounding
  }

  /// The ladders that have a name.
  package static let names = Rounding.named.map(\.name)
}
