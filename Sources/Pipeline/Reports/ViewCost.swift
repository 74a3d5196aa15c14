internal import TesseraPlan
internal import TesseraState

/// What views of images fetch, beside files of exactly the requested sizes: one view of each image in each slot at each scale,
/// weighted as the pipeline says.
package struct ViewCost: Sendable, Equatable {
  private var views = 0.0
  private var bytes = 0.0
  private var exactBytes = 0.0

  init(views: Double = 0, bytes: Double = 0, exactBytes: Double = 0) {
    (self.views, self.bytes, self.exactBytes) = (views, bytes, exactBytes)
  }

  /// Of one image, in the preferred format.
  ///
  /// - Parameters:
  ///   - exact: the plan for files of exactly the requested sizes, with the same slots. Their bytes are estimated from those
  ///     that there are.
  ///   - factor: how often the image is viewed, relative to others.
  init(_ filePlan: FilePlan, exact: Plan, _ settings: PlanSettings, times factor: Double = 1) {
    var first = 0
    let files = filePlan.plan.variants.map { variant in
      defer { first += variant.files.count }
      return filePlan.records[first].map { Double($0.bytes) }
    }
    let hasAlpha = filePlan.facts.hasAlpha
    for (slot, same) in zip(filePlan.plan.slots, exact.slots) {
      for (request, other) in zip(slot.requests, same.requests) {
        guard let bytes = files[request.variant] else { continue }
        let weight = factor * settings.weight(of: slot.slot.name, scale: request.scale)
        let variant = filePlan.plan.variants[request.variant]
        let made = variant.estimatedBytes(hasAlpha: hasAlpha)
        // With the quality that was found for the image.
        let wanted = variant.estimatedBytes(
          hasAlpha: hasAlpha, at: exact.variants[other.variant].size)
        views += weight
        self.bytes += weight * bytes
        exactBytes += weight * bytes * wanted / made
      }
    }
  }

  /// Of one view; 0 without any.
  package var meanBytes: Int { views > 0 ? Int((bytes / views).rounded()) : 0 }
  package var meanExactBytes: Int { views > 0 ? Int((exactBytes / views).rounded()) : 0 }

  /// How many more bytes a view fetches than with exact sizes, as a part of those.
  package var excess: Double { exactBytes > 0 ? bytes / exactBytes - 1 : 0 }

  static func += (left: inout Self, right: Self) {
    left.views += right.views
    left.bytes += right.bytes
    left.exactBytes += right.exactBytes
  }
}
