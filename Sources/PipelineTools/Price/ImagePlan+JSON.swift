internal import TesseraJSON
internal import TesseraPlan

extension ImagePlan {
  /// An array with a plan for each ladder, as `plan --picture … --json` prints it.
  package static func json(_ plans: [ImagePlan]) -> [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.array { list in for plan in plans { list.object { plan.write(to: &$0) } } }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  private func write(to object: inout JSONWriter) {
    object.member("rounding", steps.name)
    object.member("width", width)
    object.member("height", height)
    object.name("variants")
    object.array { list in
      for variant in plan.variants { list.object { Self.write(variant, to: &$0) } }
    }
    object.name("slots")
    object.object { slots in
      for slot in plan.slots {
        slots.name(slot.slot.name)
        slots.array { list in
          for request in slot.requests { list.object { Self.write(request, to: &$0) } }
        }
      }
    }
  }

  private static func write(_ variant: PlannedVariant, to file: inout JSONWriter) {
    file.member("width", variant.size.width)
    file.member("height", variant.size.height)
    if let crop = variant.crop {
      file.name("crop")
      file.object { write(crop, to: &$0) }
    }
    file.name("files")
    file.array { list in
      for planned in variant.files { list.object { write(planned, to: &$0) } }
    }
  }

  private static func write(_ crop: Crop, to part: inout JSONWriter) {
    switch crop.place {
    case .at(let x, let y):
      part.member("x", x)
      part.member("y", y)
    case .found(let interest): part.member("gravity", interest.rawValue)
    }
    part.member("width", crop.size.width)
    part.member("height", crop.size.height)
  }

  private static func write(_ planned: PlannedFile, to file: inout JSONWriter) {
    file.member("format", planned.encoding.format.rawValue)
    guard let fallback = planned.fallback else { return }
    file.name("fallback")
    file.array { for reason in fallback.reasons { $0.value(reason.code) } }
  }

  private static func write(_ request: Plan.Request, to entry: inout JSONWriter) {
    entry.member("scale", request.scale)
    entry.member("width", request.asked.width)
    entry.member("height", request.asked.height)
    entry.member("variant", request.variant)
  }
}
