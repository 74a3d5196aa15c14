internal import TesseraStore

/// The history of runs beside a state in a store. Only the holder of the lock writes it.
extension StoredState {
  private static let kind = StoreClient.Kind(type: "application/x-ndjson", caching: "no-store")

  private var historyLocation: StoreLocation { output.appending("\(folder)/\(RunHistory.name)") }

  func readHistory() async throws(OutputError) -> RunHistory {
    try await call { state throws(OutputError) in
      RunHistory(try Self.content(of: state.historyLocation, state.client))
    }
  }

  func writeHistory(_ history: RunHistory) async throws(OutputError) {
    try await call { state throws(OutputError) in
      try OutputError.wrapStore { () throws(StoreError) in
        _ = try state.client.put(history.document, at: state.historyLocation, Self.kind)
      }
    }
  }

  /// Nothing, if the object is missing.
  private static func content(
    of location: StoreLocation, _ client: StoreClient
  ) throws(OutputError) -> [UInt8] {
    try OutputError.wrapStore { () throws(StoreError) in
      do throws(StoreError) {
        return try client.object(location).0
      } catch {
        guard error.kind == .missing else { throw error }
        return []
      }
    }
  }
}
