internal import TesseraManifest
package import TesseraSystem

/// The history of what was done with an output, which its holder writes.
extension HeldOutput {
  package func runHistory() async throws -> RunHistory {
    guard stored != nil else {
      return try workspace.readHistory()
    }
    return try await RunHistory.stored(in: output, of: shard)
  }

  /// What is left on the disk of an output that is a directory; nil for an object store, and if the system does not say.
  package var room: FileSystem.Room? { (output as? DirectoryOutput)?.room }
  package var freeBytes: Int? { room?.freeBytes }

  /// Adds an entry to the history.
  ///
  /// - Parameter known: as it was read; nil to read it.
  package func note(
    _ entry: HistoryEntry, after known: RunHistory? = nil
  ) async throws {
    let history = if let known { known } else { try await runHistory() }
    let next = history.adding(entry)
    guard stored != nil else { return try workspace.writeHistory(next, after: history) }
    try await output.write(RunHistory.path(of: shard), next.document)
  }
}

/// That of an output whose state is in its store is beside it there.
extension RunHistory {
  static func path(of shard: Shard?) -> String { "\(StoredState.folder(of: shard))/\(name)" }

  static func stored(
    in output: any Output, of shard: Shard?
  ) async throws -> RunHistory {
    RunHistory(try await output.document(path(of: shard)) ?? [], shard: shard)
  }
}
