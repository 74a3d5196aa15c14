/// Lets one task at a time work on a key, in the order of asking: two items with the same bytes are
/// decoded once.
actor KeyedLock {
  private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

  /// - Returns: the body's result.
  nonisolated func withLock<Value: Sendable>(
    _ key: String, _ body: () async throws -> Value
  ) async rethrows -> Value {
    await lock(key)
    do {
      let value = try await body()
      await unlock(key)
      return value
    } catch {
      await unlock(key)
      throw error
    }
  }

  private func lock(_ key: String) async {
    if waiting[key] == nil {
      waiting[key] = []
    } else {
      await withCheckedContinuation { waiting[key]?.append($0) }
    }
  }

  private func unlock(_ key: String) {
    guard let next = waiting[key]?.first else {
      waiting[key] = nil
      return
    }
    waiting[key]?.removeFirst()
    next.resume()
  }
}
