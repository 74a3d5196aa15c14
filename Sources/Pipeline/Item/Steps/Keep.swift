internal import TesseraState

/// Keeps the bytes of a source that can be shown, for items and runs that need other files of it, and
/// notes that the server confirmed them.
struct Keep: Step {
  private let copies: SourceCopies
  private let confirmer: SourceConfirmer

  init(_ parts: RunParts) {
    copies = parts.copies
    confirmer = parts.confirmer
  }

  func perform(_ work: Work) async throws -> StepDecision {
    guard let bytes = work.bytes, let filePlan = work.filePlan, let content = work.source.content
    else { throw PipelineError.local("the item \"\(work.item.id)\" has nothing to keep") }
    // A copy confirms nothing; only an answer of the server does.
    if !bytes.isCopy, let response = work.response {
      copies.keep(bytes, of: work.item)
      work.change.source = confirmer.record(bytes.digest, response)
      work.change.rejection = .forget
    }
    return .done(.shown(content, filePlan))
  }
}
