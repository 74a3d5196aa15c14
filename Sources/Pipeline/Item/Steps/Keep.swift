internal import TesseraState

/// Keeps the bytes of a source that can be shown, for items and runs that need other files of it, and
/// notes that the server confirmed them.
final class Keep: Sendable {
  private let copies: SourceCopies
  private let confirmer: SourceConfirmer

  init(_ runContext: RunContext) {
    copies = runContext.copies
    confirmer = runContext.confirmer
  }

  func perform(_ complete: Complete, _ context: ItemContext) -> Stage {
    let bytes = complete.received.bytes
    // A copy confirms nothing; only an answer of the server does.
    if let response = bytes.response {
      copies.keep(bytes, of: context.item)
      context.change.source = confirmer.record(bytes.digest, response)
      context.change.rejection = .forget
    }
    return .done(
      complete.received.known.source, .shown(complete.content, complete.filePlan))
  }
}
