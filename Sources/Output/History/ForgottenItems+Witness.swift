package import TesseraSystem

/// Marks that a state has seen before.
extension ForgottenItems {
  /// Those of an output, of which a state says whether it had any.
  ///
  /// - Parameters:
  ///   - isExpected: whether it had: then a store that answers once that the document is missing is not believed.
  ///   - missing: called if it stays missing; nil to throw then, because forgotten images would come back.
  ///   - sleep: waits between two requests.
  package static func of(
    _ output: any Output, isExpected: Bool, missing: (() -> Void)? = nil,
    sleep: () async -> Void = { try? await Task.sleep(for: .seconds(1)) }
  ) async throws(SystemError) -> ForgottenItems {
    guard isExpected else { return try await of(output) }
    for attempt in 1...3 {
      if let found = try await existing(in: output) { return found }
      if attempt < 3 { await sleep() }
    }
    if let missing {
      missing()
      return ForgottenItems()
    }
    throw .damaged(
      FileSystem.join(output.location, path),
      "the marks of forgotten images are missing, though there were some before; restore the file from a backup, or "
        + "name all those images again in one call: tessera forget \"\(output.location)\" ID…; those that may come back, "
        + "after it with --undo")
  }
}
