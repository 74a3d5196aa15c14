internal import TesseraJSON
internal import TesseraPlan

extension ImagePlan {
  /// An array with a plan for each ladder, as `plan --picture … --json` prints it.
  package static func json(_ plans: [ImagePlan]) -> [UInt8] {
    JSONCoding.text(plans.map(Members.init), indent: 2)
  }

  private struct Members: Encodable {
    let rounding: String
    let width, height: Int
    let variants: [Variant]
    let slots: JSONMembers<[Request]>

    init(_ plan: ImagePlan) {
      (rounding, width, height) = (plan.steps.name, plan.width, plan.height)
      variants = plan.plan.variants.map { variant in
        Variant(
          width: variant.size.width, height: variant.size.height, crop: variant.crop.map(Part.init),
          files: variant.files.map { file in
            File(
              format: file.encoding.format.rawValue, fallback: file.fallback?.reasons.map(\.code))
          })
      }
      slots = JSONMembers(
        plan.plan.slots.map { slot in
          (
            slot.slot.name,
            slot.requests.map { request in
              Request(
                scale: request.scale, width: request.asked.width, height: request.asked.height,
                variant: request.variant)
            }
          )
        })
    }
  }

  private struct Variant: Encodable {
    let width, height: Int
    let crop: Part?
    let files: [File]
  }

  private struct Part: Encodable {
    var x, y: Int?
    var gravity: Interest?
    let width, height: Int

    init(_ crop: Crop) {
      (width, height) = (crop.size.width, crop.size.height)
      switch crop.place {
      case .at(let x, let y): (self.x, self.y) = (x, y)
      case .found(let interest): gravity = interest
      }
    }
  }

  private struct File: Encodable {
    let format: String
    let fallback: [String]?
  }

  private struct Request: Encodable {
    let scale, width, height, variant: Int
  }
}
