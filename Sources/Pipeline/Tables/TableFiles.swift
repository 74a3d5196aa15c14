internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Publishes the files of tables, and knows those of earlier runs.
struct TableFiles {
  private let runContext: RunContext
  private let workers: TableWorkers

  init(_ runContext: RunContext) {
    self.runContext = runContext
    workers = TableWorkers(
      transcoder: runContext.transcoder, state: runContext.state, output: runContext.output,
      maximumPixels: runContext.file.limits.pixels)
  }

  /// A file of a table as the catalog describes it. Nil if none of its images can be decoded, or if the run's time
  /// was over before it was made.
  func file(_ part: TablePart) async throws -> CatalogTable.File? {
    let key = part.key
    if let known = try await known(part, key) {
      runContext.recorder.update { $0.tablesReused += 1 }
      return known
    }
    var whole = part
    var leftOut = 0
    while !whole.entries.isEmpty {
      let made =
        whole.pixels == .webp
        ? try await AtlasFile(runContext, workers).make(whole)
        : try await PixelFile(runContext, workers).make(whole)
      switch made {
      case .stopped:
        runContext.recorder.update { $0.tablesUnmade += 1 }
        return nil
      case .leftOut(let positions):
        // The cell may become smaller, so the file is made once more without them.
        leftOut += positions.count
        runContext.recorder.update { $0.tablesLeftOut += positions.count }
        let rest = whole.entries.indices.filter { !positions.contains($0) }
        whole.entries = rest.map { whole.entries[$0] }
      case .made(let files):
        try await save(files, key, isWhole: leftOut == 0)
        return files.described(part.prefix, count: whole.entries.count)
      }
    }
    return nil
  }

  private func save(
    _ files: MadeTable, _ key: String, isWhole: Bool
  ) async throws {
    runContext.recorder.update { report in
      report.tablesMade += 1
      report.bytesWritten += files.file.bytes + (files.index?.bytes ?? 0)
    }
    // Without a record, the next run tries again: a file that was left out may be there by then.
    guard isWhole else { return }
    try await runContext.state.saveTableFile(files.file, key: key, run: runContext.run)
    if let index = files.index {
      try await runContext.state.saveTableFile(index, key: Self.indexKey(key), run: runContext.run)
    }
  }

  /// The file of an earlier run, if it is still there.
  private func known(_ part: TablePart, _ key: String) async throws -> CatalogTable.File? {
    guard let file = try await runContext.state.tableFile(key),
      try await runContext.output.has(file.path, bytes: file.bytes)
    else { return nil }
    guard part.pixels == .webp else {
      return MadeTable(file: file).described(part.prefix, count: part.entries.count)
    }
    guard let index = try await runContext.state.tableFile(Self.indexKey(key)),
      try await runContext.output.has(index.path, bytes: index.bytes)
    else { return nil }
    return MadeTable(file: file, index: index).described(part.prefix, count: part.entries.count)
  }

  private static func indexKey(_ key: String) -> String { RecordKey.of("index \(key)") }
}
