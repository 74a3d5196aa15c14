internal import TesseraCatalog
internal import TesseraManifest

/// Observes a run while it works. Calls come from several tasks.
package protocol RunObserving: Sendable {
  func progress(_ progress: RunProgress)
  /// An item has an error; `message` is a sentence.
  func failed(_ id: String, code: String, message: String)
  /// A line of the manifest can't be used.
  func problem(line: Int, message: String)
  func warn(_ message: String)
}

extension RunObserving {
  func failed(_ id: String, _ error: CatalogImage.Failure) {
    failed(id, code: error.code, message: error.message)
  }

  func problem(_ problem: ManifestProblem) {
    self.problem(line: problem.line, message: problem.message)
  }
}

/// The progress of a run.
package struct RunProgress: Sendable, Equatable {
  /// Items with a result.
  package var done: Int
  /// Items with an error among them.
  package var failed: Int
  /// All items: exact after the end of the manifest has been read, before that an estimate from the
  /// share of its bytes that was read, and nil if the manifest's size is unknown.
  package var total: Int?

  package init(done: Int, failed: Int, total: Int?) {
    self.done = done
    self.failed = failed
    self.total = total
  }
}
