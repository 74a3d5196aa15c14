internal import TesseraState

/// One step of an item's way.
///
/// A step takes what it needs when it is made, works on one item, and returns a decision. What goes
/// wrong with the item is an outcome; only what would hit every item alike (no disk space, no
/// workers) is thrown.
protocol Step: Sendable {
  func perform(_ work: Work) async throws -> StepDecision
}

/// What a step decides about its item.
enum StepDecision {
  /// On to the next step.
  case next
  /// On to another step: later ones are not needed, or an earlier one has to be repeated.
  case goTo(Stage)
  /// Nothing is left to do but to record the outcome.
  case done(Outcome)
  /// As above, with the item's line of an earlier run: the server has confirmed the source.
  case keepLine(LineReuse.Verdict)
}

/// The names of steps that others go to.
enum Stage {
  case check, lookUp, useKnown, share, ask, receive, revalidate, plan, make, publish, keep
}

/// What became of an item.
enum Outcome: Sendable {
  /// All of its files are there.
  case shown(ContentRecord, FilePlan)
  /// Its size is known, and its files are not made: a layout run.
  case pending(KnownSize)
  case failed(ItemFailure)

  var filePlan: FilePlan? { if case .shown(_, let filePlan) = self { filePlan } else { nil } }
}
