internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraNet
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraPlan

/// One image's plan on one ladder: which file serves which slot at which scale.
struct ImagePlan: Sendable {
  /// What is planned for.
  enum Subject: Sendable {
    /// Displayed pixels, of a format without alpha or animation.
    case size(width: Int, height: Int)
    /// A URL or a path, which is probed.
    case source(String)
  }

  /// The file for a slot at a scale; sizes are in pixels.
  struct Use: Sendable {
    var slot: String
    var mode: String
    var scale: Int
    var requested: (width: Int, height: Int)
    /// The file's place in the list of the image's files.
    var file: Int
    var made: (width: Int, height: Int)
    /// The formats of the file, each with the reason why it is not the configured one:
    /// `jpeg (webp-size-limit)`.
    var formats: [String]
  }

  let steps: Rounding.Steps
  let plan: Plan
  let source: PlanSource
  let settings: PlanSettings

  var width: Int { source.size.width }
  var height: Int { source.size.height }

  /// The files' price, as for a manifest of this image alone.
  var price: LadderPrice {
    var price = LadderPrice(steps, settings)
    price.add(plan, of: source, id: "", ViewWeights(settings))
    return price
  }

  /// The files slot by slot, in the pipeline's order, each slot from the smallest scale on.
  var uses: [Use] {
    plan.slots.flatMap { slot in
      slot.requests.map { request in
        let variant = plan.variants[request.variant]
        return Use(
          slot: slot.slot.name, mode: slot.slot.mode.rawValue, scale: request.scale,
          requested: (request.asked.width, request.asked.height), file: request.variant,
          made: (variant.size.width, variant.size.height),
          formats: variant.files.map { file in
            file.encoding.format.rawValue + (file.fallback.map { " (\($0.text))" } ?? "")
          })
      }
    }
  }
}

extension ImagePlan {
  /// Plans for one image, on each ladder.
  ///
  /// - Parameter ladders: none means the pipeline's own.
  /// - Throws: an error if the image has to be probed, and that fails.
  static func compare(
    _ subject: Subject, as file: PipelineFile, ladders: [Ladder]
  ) async throws -> [ImagePlan] {
    let source = try await source(of: subject, file)
    let all = ladders.isEmpty ? [Ladder(file.plan.rounding.steps)] : ladders
    return all.map { ladder in
      var settings = file.plan
      settings.rounding.steps = ladder.steps
      return ImagePlan(
        steps: ladder.steps, plan: Plan(for: source, settings: settings), source: source,
        settings: settings)
    }
  }

  private static func source(
    of subject: Subject, _ file: PipelineFile
  ) async throws -> PlanSource {
    switch subject {
    case .size(let width, let height): return PlanSource(size: Size(width, height))
    case .source(let name):
      switch try await ManifestProber(file).probe(name).result {
      case .success(let header):
        return header.facts.planned(header.format.rawValue, focus: nil)
      case .failure(let failure): throw ProbeFailure(source: file.shown(name), failure: failure)
      }
    }
  }

  private struct ProbeFailure: Error, CustomStringConvertible {
    var source: String
    var failure: Prober.Failure

    var description: String { "\(source): \(failure.message) (\(failure.code))" }
  }
}

extension ImagePlan {
  /// A plan for each ladder, as `plan --picture … --json` prints them.
  static func json(_ plans: [ImagePlan]) -> [UInt8] {
    Document(plans: plans.map(Members.init)).json
  }

  private struct Document: JSONDocument {
    let schema = "tessera-image-plan/1"
    let plans: [Members]
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
