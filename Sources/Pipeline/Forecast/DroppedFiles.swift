internal import TesseraOutput
internal import TesseraState

/// The images of the current catalog that the manifest no longer has, and the files that the next catalog will not name, by
/// what a ``ForecastTally`` has noted.
struct DroppedFiles {
  private let notes: ForecastNotes
  private let state: StateStore
  private let output: any Output
  /// Whether images that were not noted keep their files.
  private let keepsOthers: Bool

  private static let batch = 250

  init(
    _ notes: ForecastNotes, _ state: StateStore, _ output: any Output, keepsOthers: Bool
  ) {
    (self.notes, self.state, self.output) = (notes, state, output)
    self.keepsOthers = keepsOthers
  }

  private enum Fate {
    /// The image keeps its files.
    case kept
    /// It has others, or none that are known.
    case moved
    /// The manifest does not have it.
    case gone
  }

  func count() async throws -> (gone: Int, files: RunForecast.Files) {
    var (gone, candidates) = (0, 0)
    try await forEachImage { fate, files in
      if fate == .gone { gone += 1 }
      guard fate != .kept else { return }
      for file in files where try !notes.has(.used, file.path) {
        if try notes.add(.candidate, file.path) { candidates += 1 }
      }
    }
    guard candidates > 0 else { return (gone, .init()) }
    try await forEachImage { fate, files in
      guard fate == .kept else { return }
      for file in files where try notes.has(.candidate, file.path) {
        try notes.add(.used, file.path)
      }
    }
    var dropped = RunForecast.Files()
    try await forEachImage { fate, files in
      guard fate != .kept else { return }
      for file in files where try notes.add(.used, file.path) {
        dropped.count += 1
        dropped.bytes += file.bytes
      }
    }
    return (gone, dropped)
  }

  private func forEachImage(_ body: (Fate, [PublishedFile]) throws -> Void) async throws {
    guard try await CurrentCatalog.isThere(in: output) else { return }
    var texts = CatalogTexts(CurrentCatalog.path, in: output)
    _ = try await texts.readHead()
    let formats = texts.formats
    try await texts.forEachBatch(of: Self.batch) { batch in
      let chunks = try await state.chunkNumbers(of: batch.map(\.id))
      for ((id, text, _), chunk) in zip(batch, chunks) {
        guard let line = CatalogLine(text) else { continue }
        try body(try fate(of: id, chunk), line.files(formats) ?? [])
      }
    }
  }

  private func fate(of id: String, _ chunk: Int?) throws(StateError) -> Fate {
    if try notes.has(.moved, id) { return .moved }
    if keepsOthers { return .kept }
    if try notes.has(.kept, id) { return .kept }
    guard let chunk, try notes.has(.chunk, "\(chunk)") else { return .gone }
    return .kept
  }
}
