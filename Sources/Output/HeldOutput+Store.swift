internal import TesseraSystem

/// What is beside an output in a store, besides its files.
extension HeldOutput {
  /// Removes what killed processes have left in a store, where no reader sees it: parts of objects.
  ///
  /// - Returns: why they could not be looked for, a clause; nil if they could.
  package func clearUploads() async -> String? {
    guard let output = output as? ObjectOutput else { return nil }
    do throws(SystemError) {
      try await output.clearUploads(of: shard)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Where other states of an output in a store are, which this process can't reach.
  package func statesElsewhere() async throws(OutputError) -> [String] {
    guard output is ObjectOutput else { return [] }
    return try await StatesElsewhere(in: output).all(but: stateIdentifier)
  }
}
