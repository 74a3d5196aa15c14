/// Separates a damaged state from one that is whole and only failed this time.
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
}
