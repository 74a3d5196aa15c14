internal import TesseraJSON
package import TesseraSystem

extension LineGate {
  /// Takes what was forgotten since this gate was made out of all documents of the output.
  ///
  /// - Parameter workspace: of which this process holds the lock.
  /// - Throws: as ``confirm()``.
  func settle(_ workspace: Workspace) async throws(SystemError) {
    if try await isCurrent { return }
    try await eraseForgotten(workspace)
    throw overtaken
  }

  /// Takes what is forgotten by now, in any of the outputs, out of all documents of the output.
  func eraseForgotten(_ workspace: Workspace) async throws(SystemError) {
    var erasure = try await CatalogErasure([], from: output, and: others, workspace)
    try await erasure.eraseDocuments()
  }

  /// Writes the report of a run, or of a merge, without what it says of forgotten images.
  ///
  /// - Parameter workspace: of which this process holds the lock; nil if it holds that of a shard.
  package func publishReport(
    _ report: [UInt8], as path: String, _ workspace: Workspace?
  ) async throws(SystemError) {
    var bytes = report
    if !isEmpty, let json = try? JSONParser.parse(report) {
      var writer = JSONWriter(indent: 2)
      writer.value(json.withoutImages { !admits(id: $0, url: nil) })
      bytes = writer.take() + [UInt8(ascii: "\n")]
    }
    try await output.write(path, bytes)
    if let workspace { try await settle(workspace) }
  }
}
