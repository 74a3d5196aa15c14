internal import TesseraNet
internal import TesseraState

/// Asks the server whether the source of a line has changed. If it has not, and the line would say the
/// same, nothing else of the item is looked at.
final class ConfirmLine: Sendable {
  private let sendRequest: SendRequest
  private let confirmer: SourceConfirmer

  init(_ sendRequest: SendRequest, _ runContext: RunContext) {
    self.sendRequest = sendRequest
    confirmer = runContext.confirmer
  }

  @inline(never)
  func perform(_ line: LineReuse.Line, _ context: ItemContext) async throws -> Stage {
    stage(line, try await sendRequest.answer(line.verdict.conditions.condition, context), context)
  }

  func stage(_ line: LineReuse.Line, _ answer: Answer, _ context: ItemContext) -> Stage {
    guard case .notModified(let response) = answer else { return .unconfirmed(line, answer) }
    let source = confirmer.record(line.record.content, response, before: line.record)
    // The line may show what the server now says.
    guard source.isShown(like: line.record) else { return .unconfirmed(line, answer) }
    context.reasons.append(.notModified)
    context.change.source = source
    return .confirmed(line)
  }
}
