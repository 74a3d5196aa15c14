internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
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

/// A published file of a table, with the index of an atlas.
struct MadeTable {
  var file: VariantRecord
  var index: VariantRecord?

  func described(_ prefix: TablePrefix, count: Int) -> CatalogTable.File {
    CatalogTable.File(
      path: file.path, prefix: prefix.description, width: file.width, height: file.height,
      count: count, bytes: file.bytes, sha256: file.sha256, index: index?.path)
  }
}

/// What became of a file of a table.
enum TableOutcome {
  case made(MadeTable)
  /// The positions of images that cannot be decoded.
  case leftOut(Set<Int>)
  /// The run's time was over.
  case stopped
}

/// Makes a file of pixels: a header and an index of this process, and what workers decode.
struct PixelFile {
  private let workspace: Workspace
  private let output: any Output
  private let workers: TableWorkers

  init(_ runContext: RunContext, _ workers: TableWorkers) {
    (workspace, output, self.workers) = (runContext.workspace, runContext.output, workers)
  }

  /// Jobs in flight: enough for two processors, and few enough that their results have room in memory.
  private static let parallel = 4

  func make(_ part: TablePart) async throws -> TableOutcome {
    guard let geometry = part.geometry else {
      throw TesseraError.table("its cell has \(part.width) x \(part.height) pixels")
    }
    let staged = workspace.staging("table")
    try staged.remove()
    let file = try staged.open(.write)
    let digest = SHA256()
    func write(_ bytes: [UInt8]) throws(SystemError) {
      bytes.withUnsafeBytes { digest.update($0) }
      try file.write(bytes)
    }
    let header = geometry.header(count: part.entries.count)
    try write(Self.beginning(header, part))
    var leftOut: Set<Int> = []
    var rest = TableWorkers.batches(part.entries, entryBytes: geometry.entryBytes)[...]
    while !rest.isEmpty {
      let batches = rest.prefix(Self.parallel)
      rest = rest.dropFirst(batches.count)
      for (range, made) in zip(batches, try await pixels(part, geometry, Array(batches))) {
        guard case .made(let bytes, let positions) = made else { return .stopped }
        leftOut.formUnion(positions.map { $0 + range.lowerBound })
        try write(bytes)
      }
    }
    guard leftOut.isEmpty else { return .leftOut(leftOut) }
    let sum = digest.hexadecimal()
    let path = PublishedFile.tablePath(
      digest: sum, width: part.width, height: part.height, fileExtension: part.pixels.rawValue)
    try await output.publish(staged, as: path, digest: sum)
    return .made(
      MadeTable(
        file: VariantRecord(
          path: path, width: part.width, height: part.height, bytes: header.fileBytes, sha256: sum))
    )
  }

  /// Everything before the pixels.
  private static func beginning(_ header: TableHeader, _ part: TablePart) -> [UInt8] {
    let index = TableIndex.bytes(
      part.entries.map {
        TableIndex.Entry(hash: TablePlace.bytes(of: $0.hash), width: $0.width, height: $0.height)
      })
    let bytes = header.bytes + index
    return bytes + [UInt8](repeating: 0, count: header.pixelOffset - bytes.count)
  }

  /// The results of several jobs, in their order.
  private func pixels(
    _ part: TablePart, _ geometry: TableGeometry, _ batches: [Range<Int>]
  ) async throws -> [TableWorkers.Made] {
    try await withThrowingTaskGroup { group in
      for (place, range) in batches.enumerated() {
        group.addTask { (place, try await workers.pixels(part, geometry, range)) }
      }
      var results: [Int: TableWorkers.Made] = [:]
      for try await (place, made) in group { results[place] = made }
      return batches.indices.compactMap { results[$0] }
    }
  }
}

/// Makes an atlas: a WebP file with all images of a part of a table, and the document that says where each is.
struct AtlasFile {
  private let workspace: Workspace
  private let output: any Output
  private let workers: TableWorkers

  init(_ runContext: RunContext, _ workers: TableWorkers) {
    (workspace, output, self.workers) = (runContext.workspace, runContext.output, workers)
  }

  func make(_ part: TablePart) async throws -> TableOutcome {
    let grid = AtlasGrid(count: part.entries.count, width: part.width, height: part.height)
    let bytes: [UInt8]
    switch try await workers.atlas(part, grid) {
    case .stopped: return .stopped
    case .made(_, let leftOut) where !leftOut.isEmpty: return .leftOut(Set(leftOut))
    case .made(let made, _): bytes = made
    }
    // The file itself is measured, like a variant.
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true),
      header.format == .webp, header.width == grid.size.width, header.height == grid.size.height
    else { throw TesseraError(.workers, "a worker's atlas was not what it reported") }
    let sum = SHA256.of(bytes)
    let file = VariantRecord(
      path: PublishedFile.tablePath(
        digest: sum, width: grid.size.width, height: grid.size.height, fileExtension: "webp"),
      width: grid.size.width, height: grid.size.height, bytes: bytes.count, sha256: sum)
    try await publish(bytes, as: file.path)
    let document = Self.document(part, grid, file.path)
    let digest = SHA256.of(document)
    let index = VariantRecord(
      path: PublishedFile.indexPath(digest: digest), width: file.width, height: file.height,
      bytes: document.count, sha256: digest)
    try await publish(document, as: index.path)
    return .made(MadeTable(file: file, index: index))
  }

  private func publish(_ bytes: [UInt8], as path: String) async throws {
    let staged = workspace.staging("table")
    try staged.remove()
    try staged.open(.write).write(bytes)
    try await output.publish(staged, as: path, digest: SHA256.of(bytes))
  }

  private static func document(_ part: TablePart, _ grid: AtlasGrid, _ path: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("image", path)
      object.member("width", grid.size.width)
      object.member("height", grid.size.height)
      object.name("images")
      object.object { images in
        for (position, entry) in part.entries.enumerated() {
          let (x, y) = grid.origin(of: position)
          images.name(entry.id)
          images.array { list in
            for number in [x, y, entry.width, entry.height] { list.value(number) }
          }
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
