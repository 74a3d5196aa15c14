internal import TesseraOutput
internal import TesseraSystem

/// What keeps files of an output from `prune`: the documents that name them.
struct KeptPlaces: Sendable {
  /// The current catalog.
  struct Current: Sendable {
    var name: String
    var images: Int?
    var bytes: Int
    var digest: String
  }

  var current: Current?
  /// What is wrong with the current catalog, if it is there: completes "catalog.json …".
  var damage: String?
  /// Whether the current catalog is one that another had replaced, too.
  var hasCurrent = false
  /// The newest first.
  var catalogs: [KeptCatalogList.Entry] = []
  /// How many the pipeline keeps, and for how long each, in seconds; nil if nothing has been kept yet.
  var limit: (count: Int, age: Double)?
  /// Screens of the current catalog, and changes that lead to it.
  var screens = 0
  var changes = 0
  /// Results of shards, which the next catalog will name.
  var shards = 0

  static func read(in output: any Output, now: Double) async throws -> KeptPlaces {
    var places = KeptPlaces()
    let current = try await CurrentCatalog(of: output)
    if let current {
      places.current = Current(
        name: CurrentCatalog.path, images: current.images, bytes: current.bytes,
        digest: current.digest)
      if try await !current.isWhole(in: output) { places.damage = "is cut off" }
    } else if try await CurrentCatalog.isThere(in: output) {
      places.damage = "is not a catalog as a run writes it"
    }
    let kept = try await CatalogHistory.kept(in: output)
    places.take(kept, besides: current, now: now)
    places.screens = try await ScreenFolder.firsts(in: output).count
    places.changes = try await PublishedChanges.all(in: output).count
    places.shards = try await ShardResults.paths(in: output).count
    return places
  }

  private mutating func take(_ kept: KeptCatalogs?, besides current: CurrentCatalog?, now: Double) {
    guard let kept else { return }
    limit = (kept.retention.count, kept.retention.age)
    hasCurrent = kept.catalogs.contains { $0.path == current?.keptPath }
    catalogs = kept.others(than: current?.keptPath).enumerated().map { index, other in
      var entry = KeptCatalogList.Entry(other, number: index + 1, now: now)
      entry.until = Host.timestamp(kept.end(of: other))
      return entry
    }
  }
}
