package import TesseraDelivery
package import TesseraPlan

extension PipelineFile {
  /// The service that makes the variants instead of a run; nil if a run makes files.
  package var deliveringService: ImageService? {
    delivery.flatMap { $0.makesFiles ? nil : $0 }
  }

  /// Whether what is shown of an animation depends on how many frames it has.
  package var countsFrames: Bool {
    plan.service?.countsFrames(keepsAnimation: plan.keepsAnimation) ?? false
  }

  /// The plan for files of an image, whether or not a service makes those of others.
  package var planOfFiles: PlanSettings {
    var plan = plan
    plan.service = nil
    return plan
  }

  /// Fits the plan to the image service, and reports what does not go with it.
  mutating func applyDelivery(_ context: DecodingContext) {
    guard var service = delivery, let mark = context.pair("delivery")?.value.mark else { return }
    service.keepsAnimations = service.keepsAnimations && plan.keepsAnimation
    delivery = service
    if case .found(let interest) = plan.gravity {
      context.report(
        mark,
        "\"variants.gravity: \(interest.rawValue)\" needs decoded pixels, and an image service crops by itself; "
          + "give a side, or each item its focus")
    }
    checkFormats(service, at: mark, context)
    guard let service = deliveringService else { return }
    if plan.findsQuality {
      context.report(
        mark,
        "\"variants.quality: auto\" needs decoded pixels, and an image service encodes by itself; give a number, "
          + "or say \"delivery.files: true\"")
    }
    plan.service = service.limits
    // Of files for some images, all other keys have an effect.
    let useless = service.filesFor.isEmpty ? nil : ["upgrade", "tables"]
    let unused = (useless ?? Self.keys.flatMap { $0.paths("", .files) }).filter { key in
      // No placeholders are what a service has.
      context.pair(key) != nil && !(key == "placeholders" && placeholders.isEmpty)
    }
    for key in unused {
      context.report(
        mark,
        "\"\(key)\" has no effect: the image service makes the variants, and nothing is decoded; remove it, "
          + "or say \"delivery.files: true\"")
    }
  }

  private func checkFormats(_ service: ImageService, at mark: Mark, _ context: DecodingContext) {
    let made = OutputFormat.allCases.filter { service.formats[$0] != nil }.map(\.rawValue)
    for choice in plan.formats {
      let isMade = choice.formats.allSatisfy { service.formats[$0] != nil }
      guard !isMade || choice == .source else { continue }
      context.report(
        mark,
        "\"variants.format: \(choice.rawValue)\": the image service makes \(made.joined(separator: ", "))"
      )
    }
  }
}
