internal import TesseraOutput
internal import TesseraState

/// The files of the current catalog that the next one will not name, by what a ``ForecastTally`` has noted.
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

  func count() async throws -> RunForecast.Files {
    var candidates = 0
    try await forEachImage { keeps, line in
      guard !keeps else { return }
      for file in line.files ?? [] where try !notes.has(.used, file.path) {
        if try notes.add(.candidate, file.path) { candidates += 1 }
      }
    }
    guard candidates > 0 else { return .init() }
    try await forEachImage { keeps, line in
      guard keeps else { return }
      for file in line.files ?? [] where try notes.has(.candidate, file.path) {
        try notes.add(.used, file.path)
      }
    }
    var dropped = RunForecast.Files()
    try await forEachImage { keeps, line in
      guard !keeps else { return }
      for file in line.files ?? [] where try notes.add(.used, file.path) {
        dropped.count += 1
        dropped.bytes += file.bytes
      }
    }
    return dropped
  }

  /// - Parameter body: called with each image of the catalog, and whether it keeps its files.
  private func forEachImage(
    _ body: (_ keeps: Bool, CatalogLine) throws -> Void
  ) async throws {
    guard let form = try await CurrentCatalog.form(in: output) else { return }
    var texts = CatalogTexts(form.name, in: output)
    try await texts.forEachBatch(of: Self.batch) { batch in
      let stretches = try await state.stretches(ofEach: batch.map(\.id))
      for ((id, text), stretch) in zip(batch, stretches) {
        guard let line = CatalogLine(text) else { continue }
        try body(try keeps(id, stretch), line)
      }
    }
  }

  private func keeps(_ id: String, _ stretch: Int?) throws(StateError) -> Bool {
    if try notes.has(.moved, id) { return false }
    if keepsOthers { return true }
    if try notes.has(.kept, id) { return true }
    guard let stretch else { return false }
    return try notes.has(.stretch, "\(stretch)")
  }
}
