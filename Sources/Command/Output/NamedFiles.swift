internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// The files that the documents of an output name, place by place (``OutputPlace/naming``).
struct NamedFiles {
  let output: any Output
  /// In seconds since 1970: catalogs that have been kept for long enough name nothing.
  let now: Double

  private static let batch = 1_000

  /// Lists all that any place names in a table of the state, which may be larger than memory.
  func list(in state: StateStore) async throws {
    try await state.beginNaming()
    for place in OutputPlace.naming {
      try await forEach(in: place) { try await state.name($0, by: $1) }
    }
  }

  /// - Parameter body: called with some paths at a time, and with what names them.
  func forEach(
    in place: OutputPlace, _ body: ([String], StateStore.Naming) async throws -> Void
  ) async throws {
    let naming = StateStore.Naming(place.rawValue)
    switch place {
    case .catalog:
      try await CurrentCatalog.forEachFiles(in: output) { try await body($0, naming) }
    case .screens:
      let firsts = try await ScreenFolder.firsts(in: output)
      try await body(firsts, naming)
      try await forEachPart(of: firsts) { try await body($0, naming) }
    case .changes: try await body(try await PublishedChanges.all(in: output), naming)
    case .shards:
      // The next catalog will name them.
      for path in try await ShardResults.paths(in: output) {
        var lines = try await ShardLines(path, in: output)
        let formats = lines.header.formats
        try await forEach(
          of: { try await lines.nextImage() }, formats, { try await body($0, naming) })
      }
    case .keptCatalogs:
      guard let kept = try await CatalogHistory.kept(in: output) else { return }
      for catalog in kept.catalogs where kept.end(of: catalog) > now {
        // One that was removed by hand needs nothing.
        guard try await output.size(of: catalog.path) != nil else { continue }
        let naming = StateStore.Naming(
          place.rawValue, until: kept.end(of: catalog), since: Double(catalog.time))
        var images = KeptImages(catalog, in: output, checksDigest: false)
        let formats = try await images.formats()
        try await forEach(
          of: { try await images.next() }, formats, { try await body($0, naming) })
        try await body(Self.files(of: images.tables), naming)
        try await forEachPart(of: catalog.companions.values.sorted()) { try await body($0, naming) }
      }
    // These are files, or say nothing of any.
    case .files, .tables, .derived, .report, .state, .history, .cache, .forgotten, .work: break
    }
  }

  /// - Parameter firsts: first documents of screens.
  private func forEachPart(
    of firsts: [String], _ body: ([String]) async throws -> Void
  ) async throws {
    for path in firsts where try await output.size(of: path) != nil {
      guard let parts = try await ScreenFolder.parts(of: path, in: output)?.parts else {
        throw TesseraError(
          .output, "\"\(path)\" can't be read; run again before anything is deleted")
      }
      try await body(parts)
    }
  }

  private static func files(of tables: [CatalogTable]) -> [String] {
    tables.flatMap(\.files).flatMap { [$0.path, $0.index].compactMap(\.self) }
  }

  private func forEach(
    of next: () async throws -> CatalogLine?, _ formats: [CatalogFormat],
    _ body: ([String]) async throws -> Void
  ) async throws {
    var names: [String] = []
    while let image = try await next() {
      try Task.checkCancellation()
      guard let files = image.files(formats) else {
        throw TesseraError(
          .output, "an image has a malformed catalog entry; run again before anything is deleted")
      }
      names += files.map(\.path)
      if names.count >= Self.batch {
        try await body(names)
        names.removeAll(keepingCapacity: true)
      }
    }
    try await body(names)
  }
}

/// The results of shards in an output.
enum ShardResults {
  static func paths(in output: any Output) async throws -> [String] {
    func list(_ folder: String) async throws -> [OutputEntry] {
      try await output.listIfThere(folder)
    }
    var paths: [String] = []
    for folder in try await list(ShardHeader.folder) where folder.kind == .folder {
      let path = "\(ShardHeader.folder)/\(folder.name)"
      for entry in try await list(path) {
        // `3.jsonl`, and not `3.run.json` or the draft of one.
        guard case .file = entry.kind, entry.name.hasSuffix(".jsonl") else { continue }
        paths.append("\(path)/\(entry.name)")
      }
    }
    return paths
  }
}
