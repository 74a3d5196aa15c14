/// The way of an item: a literal list of steps, which runs in its order.
struct Way: Sendable {
  private let steps: [(stage: Stage, step: any Step)]
  private let record: Record

  /// - Parameters:
  ///   - steps: one of them decides about the outcome.
  ///   - record: the last step, which every item comes to.
  init(_ steps: [(stage: Stage, step: any Step)], record: Record) {
    self.steps = steps
    self.record = record
  }

  /// More decisions than an item can need: each step once, and once more after the request or the plan
  /// was repeated. A step that goes back without end is a fault of the program.
  private var limit: Int { steps.count * 4 }

  /// Takes one item from its first step to its record.
  func result(of work: Work) async throws -> ItemDone {
    // Also after an error: it gives back turns and removes spooled files.
    defer { work.close() }
    var index = 0
    for _ in 0..<limit {
      switch try await steps[index].step.perform(work) {
      case .next: index += 1
      case .goTo(let stage): index = steps.firstIndex { $0.stage == stage } ?? steps.count
      case .done(let outcome): return try await record.perform(work, outcome)
      case .keepLine(let verdict): return try await record.keep(verdict, work)
      }
      guard index < steps.count else { break }
    }
    throw PipelineError.local("no step decided about the item \"\(work.item.id)\"")
  }
}
