internal import TesseraOutput
internal import TesseraState

/// Images that were forgotten, maybe on another machine, whose `forget` can't reach this state.
extension RunOpening {
  /// Their marks.
  ///
  /// - Throws: also if they are missing although this state has seen some.
  func marks(_ state: StateStore) async throws -> ForgottenItems {
    try await ForgottenItems.of(
      held.output, isExpected: !(try await state.forgottenMarks() ?? "").isEmpty)
  }

  /// Removes what this state still has of them, once for each change of the marks.
  func takeOut(_ forgotten: ForgottenItems?, of state: StateStore) async throws {
    guard let forgotten, try await state.forgottenMarks() ?? "" != forgotten.digest else { return }
    let ids = try await state.ids { forgotten.has(id: $0, request: $1 ?? "") }
    if !ids.isEmpty {
      let contents = try await state.erase(ids, try await state.possessions(of: ids))
      for content in contents { try held.workspace.removeCached(content) }
    }
    try held.workspace.documentCopy.remove()
    try await state.note(forgottenMarks: forgotten.digest)
    // No page of the file has them.
    if !ids.isEmpty { try await state.rewrite() }
  }
}
