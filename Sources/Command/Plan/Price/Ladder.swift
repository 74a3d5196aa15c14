internal import TesseraPlan

/// What the best ladder costs least of.
typealias LadderCost = LadderDemand.Cost

/// A ladder of sizes that `plan` compares, by the name that a command line gives it.
struct Ladder: Sendable, Equatable {
  let steps: Rounding.Steps

  /// `exact`, `half-steps`, `power-of-two`, or sizes in pixels: `320,640,1280`. Nil for anything else.
  init?(name: String) {
    guard let steps = Rounding.Steps(name: name) else { return nil }
    self.steps = steps
  }

  var name: String { steps.name }

  /// Those that others are compared with.
  static let compared = [Ladder(.halfSteps), Ladder(.powerOfTwo)]

  init(_ steps: Rounding.Steps) { self.steps = steps }

  /// The ladders that have a name.
  static let names = Rounding.Steps.named.map(\.name)
}
