/// What the last run left, from which the next one knows what has not changed.
extension StateStore {
  /// The end of a run.
  package struct RunEnd: Sendable, Equatable {
    /// What changes when a file of the output is added, removed or replaced.
    package var output: String
    /// In seconds since 1970.
    package var ended: Double
    /// What the run found, if another one would do nothing.
    package var standing: String?

    package init(output: String, ended: Double, standing: String? = nil) {
      (self.output, self.ended, self.standing) = (output, ended, standing)
    }
  }

  /// Nil if the last run that began has not come to its end.
  package func lastEnd() throws(StateError) -> RunEnd? {
    let last = try database.prepare(
      "SELECT output, ended, standing FROM runs ORDER BY number DESC LIMIT 1")
    return try last.first([]) { row in
      row.isNull(0)
        ? nil : RunEnd(output: row.text(0), ended: row.double(1), standing: row.optionalText(2))
    } ?? nil
  }

  /// - Parameter run: nil for the last one.
  package func note(_ end: RunEnd, of run: Int? = nil) throws(StateError) {
    try begin()
    try database.prepare(
      "UPDATE runs SET output = ?, ended = ?, standing = ?"
        + " WHERE number = coalesce(?, (SELECT max(number) FROM runs))"
    ).run([.text(end.output), .double(end.ended), .optional(end.standing), .optional(run)])
    try commit()
  }
}
