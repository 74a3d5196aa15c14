internal import TesseraFetch
internal import TesseraState

/// Decides what to ask the server. "Has it changed?" is only asked if a "no" would be of use.
final class Ask: Sendable {
  private let rejections: RejectionPolicy
  private let copies: SourceCopies
  /// Whether the bytes are wanted, changed or not.
  private let refreshes: Bool

  init(_ parts: RunParts) {
    rejections = parts.rejections
    copies = parts.copies
    refreshes = parts.freshness.refreshes
  }

  func perform(_ known: Known, _ context: ItemContext) -> Stage {
    if refreshes { return .asking(Asked(known, Question())) }
    let source = known.source
    // A rejected answer is newer than the bytes that are shown.
    let rejection = rejections.believed(source.rejection, now: known.now)
    var question = Question(condition: rejection?.condition, rejection: rejection)
    if question.condition == nil, source.isFinished || copies.has(source, of: context.item) {
      question.condition = source.record?.condition
    }
    return .asking(Asked(known, question))
  }
}
