internal import TesseraPipelineFile
internal import TesseraPlan

/// Refuses an item that names a slot which the pipeline does not have.
struct CheckSlots: Step {
  /// The pipeline's slots.
  private let names: [String]

  init(_ parts: RunParts) {
    names = parts.file.plan.slots.map(\.name)
  }

  func perform(_ work: Work) async throws -> StepDecision {
    guard let unknown = work.item.slots?.first(where: { !names.contains($0) }) else { return .next }
    return .done(.failed(.unknownSlot(unknown, known: names)))
  }
}
