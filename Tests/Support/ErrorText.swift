/// What an error says that is thrown; nil if none is.
public func errorText(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch {
    return "\(error)"
  }
}
