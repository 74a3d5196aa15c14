package import TesseraDelivery
internal import TesseraPlan

extension PipelineFile {
  /// The service that makes the variants instead of a run; nil if a run makes files.
  package var deliveringService: ImageService? {
    delivery.flatMap { $0.makesFiles ? nil : $0 }
  }

  /// Keys that say how images are decoded and files are made.
  private static let keysOfFiles = ["base-url", "fail-on", "lanes", "tables"]
  private static let variantKeysOfFiles = ["alpha-quality", "background", "effort"]

  /// Fits the plan to the image service, and reports what does not go with it.
  mutating func applyDelivery(_ top: KeyGroup) {
    guard var service = delivery else { return }
    service.keepsAnimations = service.keepsAnimations && plan.keepsAnimation
    delivery = service
    let mark = top.node(of: "delivery")?.mark ?? top.mark
    if case .found(let interest) = plan.gravity {
      top.context.report(
        mark,
        "\"variants.gravity: \(interest.rawValue)\" needs decoded pixels, and an image service crops by itself; "
          + "give a side, or each item its focus")
    }
    checkFormats(service, at: mark, top)
    guard let service = deliveringService else { return }
    if plan.findsQuality {
      top.context.report(
        mark,
        "\"variants.quality: auto\" needs decoded pixels, and an image service encodes by itself; give a number, "
          + "or say \"delivery.files: true\"")
    }
    plan.service = service.limits
    plan.keepsAnimation = service.keepsAnimations
    limits.pixels = min(limits.pixels, service.sourcePixels ?? .max)
    let hasPlaceholders = top.node(of: "placeholders") != nil && !placeholders.isEmpty
    let variants = top.node(of: "variants").map {
      KeyGroup($0, prefix: "variants.", context: top.context)
    }
    let unused =
      Self.keysOfFiles.filter { top.node(of: $0) != nil }
      + Self.variantKeysOfFiles.filter { variants?.node(of: $0) != nil }.map { "variants.\($0)" }
      + (hasPlaceholders ? ["placeholders"] : [])
    for key in unused {
      top.context.report(
        mark,
        "\"\(key)\" has no effect: the image service makes the variants, and nothing is decoded; remove it, "
          + "or say \"delivery.files: true\"")
    }
  }

  private func checkFormats(_ service: ImageService, at mark: Mark, _ top: KeyGroup) {
    let made = OutputFormat.allCases.filter { service.formats[$0] != nil }.map(\.rawValue)
    for choice in plan.formats {
      let isMade = choice.formats.allSatisfy { service.formats[$0] != nil }
      guard !isMade || choice == .source else { continue }
      top.context.report(
        mark,
        "\"variants.format: \(choice.rawValue)\": the image service makes \(made.joined(separator: ", "))"
      )
    }
  }
}
