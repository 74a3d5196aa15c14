internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

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
