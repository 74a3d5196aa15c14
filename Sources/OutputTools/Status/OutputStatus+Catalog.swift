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

  /// What follows if there is a catalog and no state: a sentence; nil if all is as it should be.
  var missingState: String? {
    // A run that begins makes one; a catalog that was merged may have all its states on other machines.
    guard let current = kept.current, holder == nil, kept.shards == 0, catalogRun?.isMerge != true
    else { return nil }
    let images = current.images.map { $0 == 1 ? "the image" : "all \($0) images" } ?? "all images"
    return "there is no state: the next run fetches \(images)"
      + (isInStore
        ? "; if \"state\" in the pipeline file names its directory, name it, too (--state)" : "")
  }

  private var isInStore: Bool { OpenOutput.isInStore(output) }

  /// The run that the current catalog is of; nil if it is not known.
  package var catalogRun: RecordedRun? { runs.first { $0.hasReport && $0.isSuccess } }
}
