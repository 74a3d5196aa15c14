/// What runs have cost: `plan` estimates the next one from it.
extension StateStore {
  package func costs() throws(StateError) -> [CostKind: CostSums] {
    var costs: [CostKind: CostSums] = [:]
    try database.prepare("SELECT kind, sums FROM costs").run { row in
      // What can't be read is only not known.
      guard let kind = CostKind(name: row.text(0)), let sums = CostSums(stored: row.text(1)) else {
        return
      }
      costs[kind] = sums
    }
    return costs
  }

  /// How long the last runs took, the newest last.
  package func runTimes() throws(StateError) -> [RunTime] {
    try database.prepare("SELECT sums FROM costs WHERE kind = ?").first([.text(RunTime.name)]) {
      RunTime.list(stored: $0.text(0))
    } ?? []
  }

  /// Adds a run, in the place of one that is long ago.
  package func add(_ time: RunTime) throws(StateError) {
    let times = try runTimes() + [time]
    try database.prepare("INSERT OR REPLACE INTO costs (kind, sums) VALUES (?, ?)")
      .run([.text(RunTime.name), .text(RunTime.stored(times))])
  }

  /// Adds what a run has cost.
  package func add(_ costs: [CostKind: CostSums]) throws(StateError) {
    guard !costs.isEmpty else { return }
    let known = try self.costs()
    try begin()
    let insert = try database.prepare("INSERT OR REPLACE INTO costs (kind, sums) VALUES (?, ?)")
    for (kind, sums) in costs {
      var all = known[kind] ?? CostSums()
      all.add(later: sums)
      try insert.run([.text(kind.name), .text(all.stored)])
    }
    try commit()
  }
}
