internal import TesseraPlan

/// The price of a manifest's files if their sizes are rounded up on one ladder.
struct LadderPrice: Sendable {
  var steps: Rounding.Steps
  /// Requested files: one in each format for a slot at a scale, for one image.
  var asked = 0
  var made = 0
  /// Pixels of all requests, and of the files that serve them. If a source has fewer pixels than
  /// requested, its own count stands for both.
  var pixelsAsked = 0.0
  var pixelsDelivered = 0.0
  /// An estimate of all files' bytes; an animation counts with one frame.
  var bytes = 0.0
  /// Files by the length of their longer side.
  var rungs: [Int: Int] = [:]
  /// Files that differ from what the pipeline configures, by the reasons.
  var fallbacks: [String: Fallen] = [:]
  var views: ViewPrice

  /// Files that differ from what the pipeline configures, all for the same reasons.
  struct Fallen: Sendable, Encodable {
    var files = 0
    /// The images that they are made of.
    var items = 0
    /// The ids of the first of these images, at most ``mostExamples``.
    var examples: [String] = []

    static let mostExamples = 3
  }

  var ladder: Ladder { Ladder(steps) }

  var shared: Int { asked - made }

  /// How many more pixels rounding delivers than were requested, as a part of those requested.
  var overDelivery: Double {
    pixelsAsked > 0 ? pixelsDelivered / pixelsAsked - 1 : 0
  }

  /// Files by the smallest power of two that is not below their longer side; empty ranges are left out.
  var ranges: [(limit: Int, files: Int)] {
    var files: [Int: Int] = [:]
    for (length, count) in rungs {
      var limit = 1
      while limit < length { limit *= 2 }
      files[limit, default: 0] += count
    }
    return files.sorted { $0.key < $1.key }.map { (limit: $0.key, files: $0.value) }
  }

  /// - Parameter settings: those of the pipeline; their own ladder does not count.
  init(_ steps: Rounding.Steps, _ settings: PlanSettings) {
    self.steps = steps
    views = ViewPrice(settings)
  }

  /// - Parameter factor: by which bytes differ from their estimate.
  mutating func add(
    _ plan: Plan, of source: PlanSource, id: String, _ weights: ViewWeights, factor: Double = 1
  ) {
    asked += plan.asked
    bytes += factor * plan.estimatedBytes(hasAlpha: source.hasAlpha)
    for variant in plan.variants {
      made += variant.files.count
      rungs[variant.size.longerSide, default: 0] += variant.files.count
    }
    addFallbacks(plan, id: id)
    views.add(plan, of: source, weights, factor: factor)
    for request in plan.slots.flatMap(\.requests) {
      let size = plan.variants[request.variant].size
      let delivered = Double(size.width) * Double(size.height)
      pixelsDelivered += delivered
      // As floating point: the largest slots' pixels do not fit an integer.
      pixelsAsked += min(Double(request.asked.width) * Double(request.asked.height), delivered)
    }
  }
}

extension LadderPrice {
  private mutating func addFallbacks(_ plan: Plan, id: String) {
    var reasons: [String: Int] = [:]
    for fallback in plan.files.lazy.compactMap(\.fallback) {
      reasons[fallback.text, default: 0] += 1
    }
    for (reason, files) in reasons {
      var fallen = fallbacks[reason] ?? Fallen()
      fallen.files += files
      fallen.items += 1
      if fallen.examples.count < Fallen.mostExamples { fallen.examples.append(id) }
      fallbacks[reason] = fallen
    }
  }
}

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
