package import TesseraPlan

/// What the best ladder costs least of.
package typealias LadderCost = LadderDemand.Cost

/// A ladder of sizes that `plan` compares, by the name that a command line gives it.
package struct Ladder: Sendable, Equatable {
  let steps: Rounding.Steps

  /// `exact`, `half-steps`, `power-of-two`, or sizes in pixels: `320,640,1280`. Nil for anything else.
  package init?(name: String) {
    guard let steps = Rounding.Steps(name: name) else { return nil }
    self.steps = steps
  }

  package var name: String { steps.name }

  /// Those that others are compared with.
  package static let compared = [Ladder(.halfSteps), Ladder(.powerOfTwo)]

  init(_ steps: Rounding.Steps) { self.steps = steps }

  /// The ladders that have a name.
  package static let names = Rounding.Steps.named.map(\.name)
}
