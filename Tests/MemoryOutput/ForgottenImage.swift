package import TesseraOutput
package import TesseraSystem

/// An image that another process forgets while documents are written.
package enum ForgottenImage {
  package static let id = "secret"

  /// What `forget` does with documents. Its folder is its own: it is another process.
  package static func forget(from output: any Output) async throws(SystemError) {
    let folder = try TemporaryDirectory()
    let workspace = Workspace(try Directory(folder.path, creates: true), of: "the output")
    try workspace.clear()
    try await mark(in: output, workspace)
    var erasure = try await CatalogErasure([id], from: output, workspace)
    try await erasure.eraseDocuments()
  }

  /// The first change that `forget` makes.
  package static func mark(
    in output: any Output, _ workspace: Workspace
  ) async throws(SystemError) {
    var marks = try await ForgottenItems.of(output)
    marks.add(ids: [id], requests: [])
    try await marks.write(to: output, workspace)
  }

  /// A `forget` that is killed after its marks and some more changes. Returns whether it had not come to its end.
  package static func forget(from output: MemoryOutput, killedAfter changes: Int) async -> Bool {
    let interrupted = InterruptedOutput(output, before: changes + 2) {
      () async throws(SystemError) in throw MemoryOutput.full
    }
    do {
      try await forget(from: interrupted)
      return false
    } catch {
      return true
    }
  }

  /// Documents with the image.
  package static func documents(in output: MemoryOutput) -> [String] {
    output.files.filter { path, bytes in
      OutputPlace.of(path) != .files
        && String(decoding: bytes, as: UTF8.self).contains("\"\(id)\"")
    }.keys.sorted()
  }
}
