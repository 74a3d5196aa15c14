/// What the last run left, from which the next one knows that nothing has changed.
extension StateStore {
  /// Nil if the last run that began has left nothing.
  package func standing() throws(StateError) -> String? {
    try database.prepare("SELECT standing FROM runs ORDER BY number DESC LIMIT 1")
      .first([]) { $0.optionalText(0) } ?? nil
  }

  package func noteStanding(_ text: String?, of run: Int) throws(StateError) {
    try begin()
    try database.prepare("UPDATE runs SET standing = ? WHERE number = ?")
      .run([.optional(text), .int(run)])
    try commit()
  }
}
