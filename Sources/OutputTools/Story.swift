internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// What happened to one item, and why it was or was not done again.
package struct Story: Sendable {
  package var id: String
  /// Where it stands in the manifest.
  package var line: Int
  /// Its status and its error, as in the catalog; nil where a run was stopped before it had any.
  package var status: String?
  package var error: String?
  package var url: String?
  /// What was decided, in order.
  package var decisions: [String]
  /// SHA-256 of its source's bytes.
  package var content: String?
  /// Another item that has the same bytes.
  package var twin: String?

  /// - Throws: ``OutputToolError`` where the output has no state, or nothing is known of the item.
  package static func of(_ id: String, in root: String) async throws -> Story {
    let output = DirectoryOutput(root)
    guard FileSystem.size(ofFile: output.workspace.statePath) != nil else {
      throw OutputToolError.local(
        "\"\(root)\" holds nothing that a run has left (.tessera/state.sqlite); it must be the output of a run"
      )
    }
    let state = try OutputToolError.wrap { try StateStore(path: output.workspace.statePath) }
    guard let known = try await state.story(of: id) else {
      let others = try await state.ids(near: id, limit: 3)
      let hint =
        others.isEmpty
        ? "" : "; there are \(others.map { "\"\($0)\"" }.joined(separator: ", ")) and others"
      throw OutputToolError.local("no item of the last run has the id \"\(id)\"\(hint)")
    }
    let image = known.result.flatMap { try? JSONParser.parse(Array($0.utf8)) }
    return Story(
      id: id, line: known.line, status: image?["status"]?.stringValue,
      error: image?["error"]?["message"]?.stringValue, url: image?["url"]?.stringValue,
      decisions: known.reasons.map(\.sentence), content: known.content, twin: known.twin)
  }
}
