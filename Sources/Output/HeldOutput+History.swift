package import TesseraSystem

/// The history of what was done with an output, which its holder writes.
extension HeldOutput {
  package func runHistory() async throws(OutputError) -> RunHistory {
    guard let stored else {
      return try OutputError.wrap { () throws(SystemError) in try workspace.readHistory() }
    }
    return try await stored.readHistory()
  }

  /// What is left on the disk of an output that is a directory; nil for an object store, and if the system does not say.
  package var room: FileSystem.Room? { (output as? DirectoryOutput)?.room }
  package var freeBytes: Int? { room?.freeBytes }

  /// Adds an entry to the history as it is now.
  package func note(_ entry: HistoryEntry) async throws(OutputError) {
    let history = try await runHistory()
    guard let stored else {
      return try OutputError.wrap { () throws(SystemError) in
        try workspace.writeHistory(history.adding(entry), after: history)
      }
    }
    try await confirm()
    try await stored.writeHistory(history.adding(entry))
  }
}
