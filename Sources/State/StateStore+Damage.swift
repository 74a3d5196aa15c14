/// Separates a damaged state from one that is whole and only failed this time, and puts an empty one in its place.
extension StateStore {
  /// Whether the state that an error is about has to be set aside. Its store is not used any more.
  ///
  /// SQLite's word is not enough: a healthy state that is set aside loses all freshness. So the file is
  /// examined with a new connection. If it can't be examined now, it counts as whole.
  package static func isDamaged(_ error: StateError) -> Bool {
    guard error.suggestsDamage else { return false }
    // A store that lost what it acknowledged, or contradicts itself, is damaged, whatever it looks like.
    if error.kind == .incomplete || error.kind == .older { return true }
    if damage(at: error.path) != nil { return true }
    do throws(StateError) {
      let database = try Database(error.path)
      return try !Schema.isWhole(database)
    } catch {
      return error.kind != .unavailable
    }
  }

  /// What is wrong with the file of a state that no store has open; nil if it is whole, or can't be examined now. Reads all
  /// of it.
  package static func damage(at path: String) -> StateError? {
    do throws(StateError) {
      // For writing, because a write-ahead log may have to be recovered.
      let database = try Database(path)
      try database.execute("PRAGMA busy_timeout = 5000")
      try database.limitSteps()
      // Not quick_check: it does not compare an index with its table. One finding is enough.
      let finding = try database.prepare("PRAGMA integrity_check(1)").first([]) { $0.text(0) }
      return finding == "ok"
        ? nil : StateError(kind: .corrupt, path: path, message: "database disk image is malformed")
    } catch {
      return error.kind == .unavailable ? nil : error
    }
  }

  /// An empty state in the place of a damaged one, which is at another path now. Files are found again by their names,
  /// which follow from the bytes of their sources.
  ///
  /// - Parameters:
  ///   - error: about the damage.
  ///   - aside: where the damaged state is, and its name for the user.
  ///   - isKept: whether it stays there. Then the new one also knows whose the output is, and that images were forgotten.
  /// - Returns: a warning: a clause.
  package static func replace(
    after error: StateError, by path: String, aside: (path: String, name: String),
    isKept: Bool = true
  ) async throws(StateError) -> String {
    let state = try StateStore(path: path)
    if isKept { try await state.takeNotes(from: aside.path) }
    try await state.close()
    return error.finding
      + (isKept ? "; it was set aside as \"\(aside.name)\"" : "; it was replaced by an empty one")
      + ", and everything is fetched again"
  }

  /// Of a state that can't be read, nothing.
  func takeNotes(from path: String) throws(StateError) {
    guard let damaged = try? Database(path, isReadOnly: true) else { return }
    // If this fails, no table can be read either.
    try? damaged.limitSteps()
    defer { damaged.unlimitSteps() }
    try begin()
    // Without it, the next run is only not compared with the last one.
    if let last = try? Self.lastCompletedRun(in: damaged) {
      try database.execute("INSERT OR REPLACE INTO runs (number) VALUES (0)")
      try note(last, as: 0)
    }
    // Without it, a store is believed that says there are no marks of forgotten images.
    if let marks = try? Self.forgottenMarks(in: damaged) { try note(forgottenMarks: marks) }
    try commit()
  }
}
