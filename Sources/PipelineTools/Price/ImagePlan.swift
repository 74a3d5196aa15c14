internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraPipeline
package import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraProbe

/// One image's plan on one ladder: which file serves which slot at which scale.
package struct ImagePlan: Sendable {
  /// What is planned for.
  package enum Subject: Sendable {
    /// Displayed pixels, of a format without alpha or animation.
    case size(width: Int, height: Int)
    /// A URL or a path, which is probed.
    case source(String)
  }

  /// The file for a slot at a scale; sizes are in pixels.
  package struct Use: Sendable {
    package var slot: String
    package var mode: String
    package var scale: Int
    package var requested: (width: Int, height: Int)
    /// The file's place in the list of the image's files.
    package var file: Int
    package var made: (width: Int, height: Int)
    /// The formats of the file, each with the reason why it is not the configured one:
    /// `jpeg (webp-size-limit)`.
    package var formats: [String]
  }

  let steps: Rounding.Steps
  let plan: Plan
  let source: PlanSource
  let settings: PlanSettings

  package var width: Int { source.size.width }
  package var height: Int { source.size.height }

  /// The files' price, as for a manifest of this image alone.
  package var price: LadderPrice {
    var price = LadderPrice(steps, settings)
    price.add(plan, of: source, id: "", ViewWeights(settings))
    return price
  }

  /// The files slot by slot, in the pipeline's order, each slot from the smallest scale on.
  package var uses: [Use] {
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
  package static func compare(
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
