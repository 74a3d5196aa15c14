/// Runs cases concurrently, `count` at a time.
public func forEach<Case: Sendable>(
  _ cases: [Case], atATime count: Int, _ body: @escaping @Sendable (Case) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for (index, one) in cases.enumerated() {
      if index >= count { try await group.next() }
      group.addTask { try await body(one) }
    }
    try await group.waitForAll()
  }
}
