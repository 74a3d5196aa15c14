internal import TesseraOutput

// Which run the parts of a status are of.
extension OutputStatus {
  /// The run whose results ``failures`` has, if it left the catalog as it was; nil if they are those of the catalog, and for a
  /// run that was killed (``wasKilled``).
  package var runWithoutCatalog: RecordedRun? {
    // One without a number had not begun with its images.
    guard !wasKilled, let last = runs.first(where: { $0.entry.run != nil }), !last.isSuccess else {
      return nil
    }
    return last
  }

  /// The run that the current catalog is of; nil if it is not known.
  package var catalogRun: RecordedRun? { runs.first { $0.hasReport && $0.isSuccess } }
}
