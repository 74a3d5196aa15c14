internal import TesseraPlan

/// What people fetch who look at the images of a manifest: one view of each image in each slot at each scale, weighted as the
/// pipeline says; or the views that the access logs of servers have.
struct ViewPrice: Sendable, Equatable {
  /// Of several views.
  struct Sum: Sendable, Equatable {
    var views = 0.0
    /// Of the preferred format, estimated; an animation counts with one frame.
    var bytes = 0.0
    var pixels = 0.0

    /// Of one view; 0 without any.
    var meanBytes: Int { views > 0 ? Int((bytes / views).rounded()) : 0 }
    var meanPixels: Int { views > 0 ? Int((pixels / views).rounded()) : 0 }

    static func += (left: inout Self, right: Self) {
      left.views += right.views
      left.bytes += right.bytes
      left.pixels += right.pixels
    }
  }

  /// Views in one slot at one scale.
  struct Place: Sendable, Equatable {
    let slot: String
    let scale: Int
    var sum = Sum()
  }

  /// In the order of the pipeline's slots, and of its scales.
  private(set) var places: [Place]
  private let scaleCount: Int

  init(_ settings: PlanSettings) {
    places = settings.slots.flatMap { slot in
      settings.scales.map { Place(slot: slot.name, scale: $0) }
    }
    scaleCount = settings.scales.count
  }

  /// - Parameters:
  ///   - plan: with some of the slots, at all scales.
  ///   - factor: by which bytes differ from their estimate.
  mutating func add(
    _ plan: Plan, of source: PlanSource, _ weights: ViewWeights, factor: Double = 1
  ) {
    let bytes = plan.variants.map { factor * $0.estimatedBytes(hasAlpha: source.hasAlpha) }
    for slot in plan.slots {
      guard let first = places.firstIndex(where: { $0.slot == slot.slot.name }) else { continue }
      for (place, request) in zip(first..<first + scaleCount, slot.requests) {
        let (weight, size) = (weights.values[place], plan.variants[request.variant].size)
        // As floating point: the largest slots' pixels do not fit an integer.
        let pixels = Double(size.width) * Double(size.height)
        places[place].sum += Sum(
          views: weight, bytes: weight * bytes[request.variant], pixels: weight * pixels)
      }
    }
  }

  var total: Sum { places.reduce(into: Sum()) { $0 += $1.sum } }

  /// How many more bytes a view fetches than with other sizes, as a part of those.
  func excess(over other: ViewPrice) -> Double {
    let bytes = other.total.bytes
    return bytes > 0 ? total.bytes / bytes - 1 : 0
  }
}
