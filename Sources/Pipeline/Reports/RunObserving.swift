package import TesseraCatalog
package import TesseraManifest

/// Is told what happens in a run while it happens. Calls come from several tasks.
package protocol RunObserving: Sendable {
  func progress(_ progress: RunProgress)
  func failed(_ id: String, _ error: CatalogImage.Failure)
  func problem(_ problem: ManifestProblem)
  func warn(_ message: String)
}

/// How far a run is.
package struct RunProgress: Sendable, Equatable {
  /// Items with a result.
  package var done: Int
  /// Items with an error among them.
  package var failed: Int
  /// Items in all: exact once the manifest has been read to its end, estimated from the share of its
  /// bytes before, and nil if not even that is known.
  package var total: Int?

  package init(done: Int, failed: Int, total: Int?) {
    self.done = done
    self.failed = failed
    self.total = total
  }
}
