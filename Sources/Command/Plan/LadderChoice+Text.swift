extension LadderChoice {
  /// What other ladders would save, in one line.
  var hint: String {
    let others = others.map { "\($0.name): \(Amount.percent(excess($0)))" }
    let fitting = chosen.map { best in
      "the best \(Amount.count(best.rungs.count, "rung")): \(Amount.percent(best.excess)) "
        + "(--fit \(best.rungs.count))"
    }
    return "other ladders: " + (others + [fitting].compactMap(\.self)).joined(separator: "; ")
  }

  /// The line for the pipeline file, what it saves, and what other numbers of rungs would.
  ///
  /// - Parameter ladders: those to compare it with.
  func lines(beside ladders: [LadderPrice]) -> [String] {
    guard let chosen, let line else { return [] }
    let others = ladders.map { ladder in
      "\(ladder.name): \(Amount.percent(excess(ladder.ladder)))"
    }
    let rows = candidates.map { [String($0.rungs.count), Amount.percent($0.excess)] }
    return [
      line,
      "a view costs \(Amount.percent(chosen.excess)) more \(unit) than with exact sizes; "
        + others.joined(separator: "; "),
    ] + TextTable.lines(["rungs", "more \(unit)"], rows)
  }
}
