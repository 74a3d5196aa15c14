internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// Has workers decode the images of a table: some at a time, so that a job keeps its limits of memory and time
/// however large the table is.
///
/// A worker of tables gets images of all hosts, unlike those that decode sources; it only gets files that other
/// workers have encoded.
struct TableWorkers {
  let transcoder: any Transcoding
  let state: StateStore
  let output: any Output
  let maximumPixels: Int

  /// What became of a job.
  enum Made {
    /// The result, and the positions of images that could not be decoded.
    case made([UInt8], leftOut: [Int])
    /// The pool was closed, at the end of the run's time.
    case stopped
  }

  /// Of the result of one job, and of its source.
  private static let (resultBytes, sourceBytes, count) = (8 << 20, 8 << 20, 256)

  /// The parts of a table that a job each makes.
  static func batches(_ entries: [StateStore.TableEntry], entryBytes: Int) -> [Range<Int>] {
    var batches: [Range<Int>] = []
    var (start, source) = (0, 0)
    for (position, entry) in entries.enumerated() {
      let isFull =
        position - start >= count || (position - start + 1) * entryBytes > resultBytes
        || source + entry.bytes > sourceBytes
      if position > start, isFull {
        batches.append(start..<position)
        (start, source) = (position, 0)
      }
      source += entry.bytes
    }
    if start < entries.count { batches.append(start..<entries.count) }
    return batches
  }

  /// The pixels of some images of a table, an entry's bytes for each.
  func pixels(
    _ part: TablePart, _ geometry: TableGeometry, _ range: Range<Int>
  ) async throws -> Made {
    let (source, entries) = try await source(part.entries[range])
    let job = TableJob(
      pixels: part.pixels, rowBytes: geometry.rowBytes,
      entryBytes: geometry.entryBytes, background: part.background, maximumPixels: maximumPixels,
      entries: entries)
    switch try await transcoder.perform(job, of: source) {
    case .made(let bytes, let leftOut):
      guard bytes.count == range.count * geometry.entryBytes else { throw Self.wrongResult }
      return .made(bytes, leftOut: leftOut)
    case .failed(let failure):
      guard let half = try half(range, after: failure) else { return .stopped }
      // Which of them it was is found by halves.
      guard range.count > 1 else {
        return .made([UInt8](repeating: 0, count: geometry.entryBytes), leftOut: [0])
      }
      guard case .made(let low, let early) = try await pixels(part, geometry, range.prefix(half)),
        case .made(let high, let late) = try await pixels(part, geometry, range.dropFirst(half))
      else { return .stopped }
      return .made(low + high, leftOut: early + late.map { $0 + half })
    }
  }

  /// All images of a part in one image, as a WebP file.
  func atlas(_ part: TablePart, _ grid: AtlasGrid) async throws -> Made {
    var (source, entries) = try await source(part.entries[...])
    for position in entries.indices {
      (entries[position].x, entries[position].y) = grid.origin(of: position)
    }
    let job = TableJob(
      pixels: .webp, rowBytes: 0, entryBytes: 0, background: part.background,
      atlas: .init(size: grid.size, quality: part.quality, effort: part.effort),
      maximumPixels: maximumPixels, entries: entries)
    switch try await transcoder.perform(job, of: source) {
    case .made(let bytes, let leftOut): return .made(bytes, leftOut: leftOut)
    case .failed(let failure):
      guard try half(part.entries.indices, after: failure) != nil else { return .stopped }
      return try await self.leftOut(of: part, after: failure)
    }
  }

  /// The images that no worker can decode, after a job with all of them has failed.
  private func leftOut(of part: TablePart, after failure: TranscodeFailure) async throws -> Made {
    var leftOut: [Int] = []
    guard let geometry = TableGeometry(.grey8, width: part.width, height: part.height) else {
      throw Self.wrongResult
    }
    var plain = part
    plain.pixels = .grey8
    for range in Self.batches(part.entries, entryBytes: geometry.entryBytes) {
      guard case .made(_, let found) = try await pixels(plain, geometry, range) else {
        return .stopped
      }
      leftOut += found.map { $0 + range.lowerBound }
    }
    guard !leftOut.isEmpty else { throw TesseraError.table(failure.message) }
    return .made([], leftOut: leftOut)
  }

  /// Where to divide a job that failed. Nil if the pool was closed at the end of the run's time.
  ///
  /// - Throws: what is not the fault of an image.
  private func half(_ range: Range<Int>, after failure: TranscodeFailure) throws -> Int? {
    switch failure.code {
    case .cancelled:
      try Task.checkCancellation()
      return nil
    case .local: throw TesseraError(.local, failure.message)
    default: return max(1, range.count / 2)
    }
  }

  /// The files of some images, one after the other; one that several images share once.
  private func source(
    _ entries: ArraySlice<StateStore.TableEntry>
  ) async throws -> (JobSource, [TableJob.Entry]) {
    var (source, jobs): ([UInt8], [TableJob.Entry]) = ([], [])
    var places: [String: (offset: Int, length: Int)] = [:]
    for entry in entries {
      var place = places[entry.path]
      if place == nil {
        let bytes = try await bytes(of: entry)
        place = (source.count, bytes.count)
        source += bytes
        places[entry.path] = place
      }
      jobs.append(
        TableJob.Entry(
          offset: place?.offset ?? 0, length: place?.length ?? 0,
          format: OutputFormat.named(entry.type), size: Size(entry.width, entry.height)))
    }
    return (JobSource(.memory(source), host: ""), jobs)
  }

  /// The bytes of an image's file; none if it is missing, or not what was made: many damaged files can be decoded.
  private func bytes(of entry: StateStore.TableEntry) async throws -> [UInt8] {
    let record = try await state.file(at: entry.path)
    do throws(SystemError) {
      let bytes = try await output.read(entry.path, entry.bytes, at: 0)
      return SHA256.of(bytes) == record?.sha256 ? bytes : []
    } catch {
      guard error.isMissingFile else { throw error }
      return []
    }
  }

  private static var wrongResult: TesseraError {
    TesseraError(.workers, "a worker's pixels of a table were not what it reported")
  }
}

extension OutputFormat {
  /// The name of the decoder for a media type.
  fileprivate static func named(_ type: String) -> String {
    allCases.first { $0.mediaType == type }?.rawValue ?? type
  }
}
