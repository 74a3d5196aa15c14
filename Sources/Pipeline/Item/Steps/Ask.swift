internal import TesseraFetch
internal import TesseraState
internal import TesseraSystem

/// Decides what to ask the server. "Has it changed?" is only asked if a "no" would be of use.
struct Ask: Step {
  private let rejections: RejectionPolicy
  private let copies: SourceCopies
  private let clock: WallClock

  init(_ parts: RunParts) {
    rejections = parts.rejections
    copies = parts.copies
    clock = parts.clock
  }

  func perform(_ work: Work) async throws -> StepDecision {
    var question = Question()
    if !work.needsBytes {
      // A rejected answer is newer than the bytes that are shown.
      question.rejection = rejections.believed(work.source.rejection, now: clock.now())
      question.condition = question.rejection?.condition
      if question.condition == nil, work.source.isReady || copies.has(work.source, of: work.item) {
        question.condition = work.source.record?.condition
      }
    }
    work.question = question
    return .next
  }
}
