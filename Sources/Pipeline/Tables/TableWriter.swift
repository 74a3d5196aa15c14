internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Makes the tables of a run from the lines of its catalog, and publishes them: before the catalog, which names them.
///
/// A file whose images and settings are those of an earlier run is neither decoded nor written again. An image whose
/// published file cannot be decoded is left out: clients show its file, and `verify` finds what is wrong with it.
struct TableWriter {
  private let file: PipelineFile
  private let lines: any CatalogLines
  private let state: StateStore
  private let files: TableFiles
  private let recorder: RunRecorder
  private let meter: ProgressMeter
  private let places: [TablePlace]
  private let formats: [CatalogFormat]

  init(_ runContext: RunContext, _ lines: any CatalogLines, _ meter: ProgressMeter) {
    file = runContext.file
    self.lines = lines
    state = runContext.state
    files = TableFiles(runContext)
    recorder = runContext.recorder
    self.meter = meter
    places = TablePlace.all(of: runContext.file)
    formats = runContext.names.formats
  }

  /// The catalog's tables; nil if the pipeline has none.
  func write() async throws -> [String: [CatalogTable]]? {
    guard !places.isEmpty else { return nil }
    try await state.beginTables()
    try await collect()
    var tables: [String: [CatalogTable]] = [:]
    for place in places {
      for pixels in place.pixels {
        var table = CatalogTable(scale: place.scale, pixels: pixels.rawValue, files: [])
        let parts = try await TablePrefix.split {
          try await state.tableContent(place.number, $0.range)
        } fits: {
          TablePart.fits($0, pixels)
        }
        for (prefix, _) in parts {
          try Task.checkCancellation()
          let entries = try await state.tableEntries(place.number, prefix.range)
          let part = TablePart(pixels, prefix, entries, file.plan)
          if let made = try await files.file(part) { table.files.append(made) }
        }
        tables[place.slot, default: []].append(table)
      }
    }
    try await state.endTables()
    warn()
    return tables
  }

  private func warn() {
    let report = recorder.current
    if report.tablesLeftOut > 0 {
      meter.warn(
        "\(report.tablesLeftOut) images are missing in tables, because their files can't be decoded; "
          + "tessera verify --deep shows which files are damaged")
    }
    if report.tablesUnmade > 0 {
      meter.warn("\(report.tablesUnmade) files of tables were not made before the run's deadline")
    }
  }

  /// Lists the images of all tables in the state: they may be more than memory holds.
  private func collect() async throws {
    var found: [(place: Int, entry: StateStore.TableEntry)] = []
    try await lines.forEachBatch { batch in
      for line in batch {
        let image = try CatalogImage(reading: line, formats)
        let hash = TablePlace.hash(of: image.id)
        for place in places {
          if let entry = place.entry(image, hash: hash) {
            found.append((place.number, entry))
          }
        }
      }
      try await state.addToTables(found)
      found.removeAll(keepingCapacity: true)
    }
  }
}
