internal import TesseraOutput
internal import TesseraSystem

/// Checks whether every file that a catalog names is there, complete, and of the stated size.
package struct Verification: Sendable {
  private let root: String
  private let isDeep: Bool
  private let removesBroken: Bool
  private let state: String?

  /// - Parameters:
  ///   - isDeep: whether contents are read, and compared with the digests in their names.
  ///   - removesBroken: whether broken files are deleted, so that the next run regenerates them.
  ///   - state: the directory of the state of an output in an object store.
  package init(_ root: String, isDeep: Bool, removesBroken: Bool, state: String? = nil) {
    self.root = root
    self.state = state
    self.isDeep = isDeep
    self.removesBroken = removesBroken
  }

  /// - Parameter onProblem: called for each file with a problem, in the catalog's order.
  /// - Throws: ``OutputToolError`` if the catalog is missing or can't be read; or
  ///   `CancellationError`.
  package func run(onProblem: (VerifyReport.Problem) -> Void) async throws -> VerifyReport {
    let output = try OutputFolder(root, state: state)
    // No run may write a file while it is being checked, and then deleted.
    let lock = removesBroken ? try output.lock() : nil
    defer { withExtendedLifetime(lock) {} }
    let local = try await LocalOutput(root)
    var catalog = try CatalogFile(at: local.path).lines()
    var report = VerifyReport()
    while let image = try catalog.next() {
      report.images += 1
      let id = image.id ?? ""
      guard let files = PublishedFile.all(of: image) else {
        onProblem(report.add(id: id, path: "", "has a malformed catalog entry"))
        continue
      }
      for file in files {
        try Task.checkCancellation()
        report.files += 1
        let check = FileCheck(file, in: output.published, isDeep: isDeep)
        guard let problem = await check.problem() else { continue }
        onProblem(report.add(id: id, path: file.path, problem))
        // Only names that a run gives: any other may lead out of the output.
        if removesBroken, file.digest != nil, try await remove(file, of: output) {
          report.removed += 1
        }
      }
    }
    return report
  }

  /// Returns false for a file behind a link, which is not in the output.
  private func remove(
    _ file: PublishedFile, of output: OutputFolder
  ) async throws(OutputToolError) -> Bool {
    do throws(SystemError) {
      try await output.published.delete(file.path)
    } catch {
      guard error.isLink else { throw OutputToolError("\(error)") }
      return false
    }
    return true
  }
}
