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
    guard let current = kept.current, holder == nil, kept.shards == 0, lastReported?.isMerge != true
    else { return nil }
    let images = current.images.map { $0 == 1 ? "the image" : "all \($0) images" } ?? "all images"
    return "there is no state: the next run fetches \(images)"
      + (isInStore
        ? "; if \"state\" in the pipeline file names its directory, name it, too (--state)" : "")
  }

  /// What is wrong with the catalog that apps read: a sentence; nil if nothing is.
  var catalogProblem: String? {
    let back = kept.catalogs.isEmpty ? "" : ", and tessera rollback makes an earlier one current"
    if let damage = kept.damage {
      return "catalog.json \(damage): the next run writes it again\(back)"
    }
    // A shard writes none.
    guard kept.current == nil, holder == nil,
      runs.contains(where: { $0.shard == nil && $0.hasReport && $0.isSuccess })
    else { return nil }
    return
      "there is no catalog.json, though a run has written one: the next run writes it again\(back)"
  }

  private var isInStore: Bool { OpenOutput.isInStore(output) }

  /// The last run with a result; nil if it is not known.
  private var lastReported: RecordedRun? { runs.first { $0.hasReport && $0.isSuccess } }

  /// The run that the current catalog is of, or the rollback that made it current; nil if it is not known.
  package var catalogRun: RecordedRun? { rollback ?? lastReported }

  private var rollback: RecordedRun? {
    let last = runs.first { ($0.hasReport && $0.isSuccess) || $0.isRollback }
    // A run that was killed may have replaced it since.
    return last?.isRollback == true && kept.hasCurrent ? last : nil
  }

  /// When the current catalog, an earlier one, became that again, in UTC; nil if it is that of the last run.
  package var rollbackTime: String? { rollback?.time }
}
