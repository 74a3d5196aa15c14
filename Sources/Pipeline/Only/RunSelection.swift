internal import TesseraNet
package import TesseraText

/// The images that a run is for, if it is not one of all (`--only`, `--only-failed`, `--only-host`). An image has to meet
/// everything that is named; all other images keep their entries of the current catalog.
package struct RunSelection: Sendable, Equatable {
  /// Ids; empty for any.
  package var ids: Set<Identifier>
  /// Whether only images that failed or are stale count.
  package var onlyFailed: Bool
  /// The host of the request URL, with its port if the URL has one; nil for any.
  package var host: String?
  /// Whether sources are fetched and files made again, whatever is known of them (`--refresh`).
  package var refreshes: Bool

  /// Nil if nothing is named, so that the run is one of all images.
  package init?(
    ids: [String] = [], onlyFailed: Bool = false, host: String? = nil, refreshes: Bool = false
  ) {
    if ids.isEmpty, !onlyFailed, host == nil { return nil }
    (self.ids, self.onlyFailed, self.refreshes) = (Set<Identifier>(of: ids), onlyFailed, refreshes)
    self.host = host.map(SourceHost.named)
  }

  /// Whether bytes that were rejected are examined again, however sure that is.
  var examinesRejected: Bool { onlyFailed || refreshes }

  /// Whether an entry may be one of them, as far as the manifest says.
  ///
  /// - Parameter requestURL: called if the URL matters.
  func mayHave(_ id: String, requestURL: () -> String) -> Bool {
    guard ids.isEmpty || ids.contains(id) else { return false }
    return host.map { $0 == SourceHost.name(of: requestURL()) } ?? true
  }
}
