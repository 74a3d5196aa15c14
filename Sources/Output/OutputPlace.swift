internal import TesseraCatalog
internal import TesseraSystem

/// Each place of an output that may say something of an image: the one list that `forget`, `verify`, `prune`, `merge`
/// and `rollback` go through. Whatever a run or a tool writes into an output belongs to one of these, and a test
/// compares them with the outputs that runs make.
package enum OutputPlace: String, Sendable, CaseIterable {
  /// `catalog.json`, and the copy of one in a store: `.tessera/document`.
  case catalog
  /// `screens/feed/first.json` and the parts that it names.
  case screens
  /// `from-….json`, from earlier catalogs to the current one.
  case changes
  /// Results of shards, from which the next catalog is merged, and their reports: `shards/8/3.jsonl`, `3.run.json`.
  case shards
  /// Earlier catalogs with the first documents of their screens: `.tessera/catalogs/`.
  case keptCatalogs = "kept catalogs"
  /// Files of images: `variants/3f/9c/3f9c…-192x256-8c22….webp`.
  case files
  /// Files of tables, and indices of atlases: `tables/3f/3f9c…-108x108.bgra8`.
  case tables
  /// What tools make of the catalog, and make again: `gallery.html`, the database `catalog.sqlite`, if it is exported into the
  /// output, and compressed copies of published documents for web servers: `catalog.json.gz`.
  case derived = "gallery, database and compressed copies"
  /// `run.json`.
  case report = "run report"
  /// What earlier runs learned, of the whole and of each shard: `state.sqlite`, with its log, and damaged ones; and where
  /// the states of an output in a store are that are on machines.
  case state
  /// What the last runs did, without a word of any image: `.tessera/runs.jsonl`, and those of shards.
  case history = "run history"
  /// Sources that are kept for later runs: `.tessera/cache/`.
  case cache
  /// Marks of images that were forgotten: `.tessera/forgotten.json`.
  case forgotten
  /// What a process works with, and the next one removes: locks, drafts, spool and staging.
  case work = "work files"

  /// Where those of a fixed name are.
  private static let derivedPaths = [
    "gallery.html", "catalog.sqlite-journal", "catalog.sqlite-wal", "catalog.sqlite-shm",
    "catalog.sqlite",
  ]

  /// Of the encodings gzip, Brotli and Zstandard.
  private static let compressed = [".gz", ".br", ".zst"]

  /// Those whose documents name files: what one of them names stays.
  package static let naming: [OutputPlace] = [.catalog, .screens, .changes, .shards, .keptCatalogs]

  /// The folders that runs have in the output's own.
  package static let folders = [
    ".tessera", "variants", "tables", CatalogScreen.folder, ShardHeader.folder,
  ]

  /// The folders that an output on this machine has in which documents are made under the names of drafts (``Draft``).
  /// Files are made in the workspace, and drafts there are the workspace's.
  static func foldersOfDrafts(in root: Directory) throws(SystemError) -> [String] {
    var folders = ["", KeptCatalog.folder]
    for parent in [CatalogScreen.folder, ShardHeader.folder] where root.kind(of: parent) == .folder
    {
      folders += try root.directory(parent).list().map { "\(parent)/\($0)" }
    }
    return folders.filter { $0.isEmpty || root.kind(of: $0) == .folder }
  }

  /// The place that a path, relative to the output, belongs to; nil for what Tessera does not write.
  package static func of(_ path: String) -> OutputPlace? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let first = parts.first else { return nil }
    if Draft.document(of: parts[parts.count - 1]) != nil { return .work }
    switch (first, parts.count) {
    case _ where isCompressed(path): return .derived
    case (CurrentCatalog.path, 1): return .catalog
    case ("run.json", 1): return .report
    case _ where derivedPaths.contains(path): return .derived
    case _ where PublishedChanges.isOne(path): return .changes
    case _ where ScreenFolder.isFirst(path) || CatalogScreen.isPart(path): return .screens
    case (FileName.folder, 4): return FileName.parts(of: path) == nil ? nil : .files
    case ("tables", 3): return PublishedFile.tableDigest(in: path) == nil ? nil : .tables
    case (ShardHeader.folder, 3):
      return path.hasSuffix(".json") || path.hasSuffix(".jsonl") ? .shards : nil
    case (".tessera", 2...): return ofPrivate(Array(parts.dropFirst()))
    default: return nil
    }
  }

  /// Whether the bytes behind a path are never others.
  static func isUnchanging(_ path: String) -> Bool {
    path.hasPrefix("variants/") || path.hasPrefix("tables/") || CatalogScreen.isPart(path)
  }

  /// Whether it is a compressed copy of a published document.
  private static func isCompressed(_ path: String) -> Bool {
    guard let suffix = compressed.first(where: path.hasSuffix) else { return false }
    let place = of(String(path.dropLast(suffix.count)))
    return [.catalog, .screens, .changes, .report, .derived].contains(place)
  }

  private static func ofPrivate(_ parts: [String]) -> OutputPlace? {
    // A shard has all of these in a folder of its own, `shards/8/3`.
    if parts[0] == "shards" {
      return parts.count > 3 ? ofPrivate(Array(parts.dropFirst(3))) : nil
    }
    switch parts[0] {
    case Workspace.documentCopy: return .catalog
    case "catalogs": return .keptCatalogs
    case "cache": return .cache
    case RunHistory.name: return .history
    case "forgotten.json": return .forgotten
    case "states": return .state
    case "lock", "clock", "lease", "output", "spool", "staging": return .work
    case let name where name.hasPrefix("state.sqlite"): return .state
    default: return nil
    }
  }
}
