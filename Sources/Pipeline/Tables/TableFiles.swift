internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Publishes the files of tables, and knows those of earlier runs.
struct TableFiles {
  private let parts: RunParts
  private let workers: TableWorkers

  init(_ parts: RunParts) {
    self.parts = parts
    workers = TableWorkers(
      transcoder: parts.transcoder, state: parts.state, output: parts.output,
      maximumPixels: parts.file.limits.pixels)
  }

  /// A file of a table as the catalog describes it. Nil if none of its images can be decoded, or if the run's time
  /// was over before it was made.
  func file(_ part: TablePart) async throws -> CatalogTable.File? {
    let key = part.key
    if let known = try await known(part, key) {
      parts.recorder.update { $0.tablesReused += 1 }
      return known
    }
    var whole = part
    var leftOut = 0
    while !whole.entries.isEmpty {
      let made =
        whole.pixels == .webp
        ? try await AtlasFile(parts, workers).make(whole)
        : try await PixelFile(parts, workers).make(whole)
      switch made {
      case .stopped:
        parts.recorder.update { $0.tablesUnmade += 1 }
        return nil
      case .leftOut(let positions):
        // The cell may become smaller, so the file is made once more without them.
        leftOut += positions.count
        parts.recorder.update { $0.tablesLeftOut += positions.count }
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
    parts.recorder.update { report in
      report.tablesMade += 1
      report.bytesWritten += files.file.bytes + (files.index?.bytes ?? 0)
    }
    // Without a record, the next run tries again: a file that was left out may be there by then.
    guard isWhole else { return }
    try await parts.state.saveTableFile(files.file, key: key, run: parts.run)
    if let index = files.index {
      try await parts.state.saveTableFile(index, key: Self.indexKey(key), run: parts.run)
    }
  }

  /// The file of an earlier run, if it is still there.
  private func known(_ part: TablePart, _ key: String) async throws -> CatalogTable.File? {
    guard let file = try await parts.state.tableFile(key),
      try await parts.output.has(file.path, bytes: file.bytes)
    else { return nil }
    guard part.pixels == .webp else {
      return MadeTable(file: file).described(part.prefix, count: part.entries.count)
    }
    guard let index = try await parts.state.tableFile(Self.indexKey(key)),
      try await parts.output.has(index.path, bytes: index.bytes)
    else { return nil }
    return MadeTable(file: file, index: index).described(part.prefix, count: part.entries.count)
  }

  private static func indexKey(_ key: String) -> String { RecordKey.of("index \(key)") }
}
