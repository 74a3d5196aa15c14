internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Adds up what a run will do.
struct ForecastTally {
  private let parts: RunParts
  private let items: ItemForecaster
  private let pace: RunPace
  private let notes: ForecastNotes
  private let hosts: HostRules
  /// Whether images that were not read keep their files.
  private var keepsOthers: Bool
  private var forecast = RunForecast()
  /// Images whose files are known, and these: what a new image is taken to need.
  private var planned = (images: 0, files: 0)
  /// New images, whose files follow from the others.
  private var unknown = (expected: 0, most: 0)

  /// - Parameters:
  ///   - history: of the output.
  ///   - before: the images of the last run of all.
  init(
    _ parts: RunParts, _ extent: RunExtent, _ history: RunHistory, _ before: Int, isSelection: Bool
  ) throws(StateError) {
    self.parts = parts
    pace = RunPace(history, parts.file.fetch)
    hosts = parts.file.fetch.retryPolicy.hosts
    keepsOthers = isSelection
    items = ItemForecaster(parts, extent)
    notes = try ForecastNotes()
    forecast.before = before
  }

  /// Nothing has changed, so that the manifest is not read.
  mutating func standAll(_ images: Int) {
    stand(images)
    keepsOthers = true
  }

  private mutating func stand(_ images: Int) {
    forecast.images += images
    forecast.fresh += images
  }

  /// The run would not accept the manifest.
  mutating func stop(_ error: PipelineError) { forecast.stop = error.description }

  mutating func add(_ batch: [EntryStream.Record]) async throws {
    var found: [(item: Item, lookup: LineReuse.Lookup?)] = []
    for record in batch {
      switch record {
      case .repeated: break
      case .problem: forecast.problems += 1
      case .forgotten: forecast.forgotten += 1
      case .standing(let chunk):
        stand(chunk.count)
        planned.images += chunk.count
        planned.files += chunk.files
        try notes.add(.chunk, "\(chunk.key.number)")
      case .item(let item, let lookup): found.append((item, lookup))
      }
    }
    let known = try await parts.state.known(found.map { ($0.item.id, $0.item.entryDigest) })
    for ((item, lookup), known) in zip(found, known) { try await add(item, lookup, known) }
  }

  private mutating func add(
    _ item: Item, _ lookup: LineReuse.Lookup?, _ known: StateStore.KnownItem?
  ) async throws {
    forecast.images += 1
    if let known {
      if !known.isSame { forecast.changed += 1 }
    } else {
      forecast.new += 1
    }
    if case .stands(let verdict)? = lookup {
      planned.images += 1
      planned.files += verdict.kept.files
      try notes.add(.kept, item.id)
      if verdict.isFresh {
        forecast.fresh += 1
      } else {
        let files = verdict.kept.files
        try await confirm(item, known, all: files, makes: [])
      }
      return
    }
    let (step, plan) = try await items.forecast(item, lookup)
    if let plan {
      planned.images += 1
      planned.files += plan.keys.count
    }
    try await keepFiles(of: item, known, plan)
    try await add(step, item, known)
  }

  /// Notes which of its files the next catalog names.
  private func keepFiles(
    of item: Item, _ known: StateStore.KnownItem?, _ plan: FilePlan?
  ) async throws {
    guard let plan else {
      // Its next files are not known. Those of another source are not those that it has.
      try notes.add(known?.isSame == false ? .moved : .kept, item.id)
      return
    }
    try notes.add(.moved, item.id)
    for record in plan.records { if let record { try notes.add(.used, record.path) } }
    let missing = plan.missing.map { plan.keys[$0] }
    guard !missing.isEmpty else { return }
    // A file that is only missing in the output gets its name again.
    for record in try await parts.state.made(missing, placeholder: plan.placeholderKey).0 {
      if let record { try notes.add(.used, record.path) }
    }
  }

  private mutating func add(
    _ step: ItemForecast, _ item: Item, _ known: StateStore.KnownItem?
  ) async throws {
    switch step {
    case .nothing: forecast.fresh += 1
    case .copy(let files):
      forecast.copied += 1
      try make(files)
    case .confirm(let all, let makes):
      try await confirm(item, known, all: all.count, makes: makes)
    case .fetch(let files, let isRejected):
      forecast.fetched += 1
      try fetch(item, known, files, isRejected)
    }
  }

  // MARK: Requests

  /// Requests of a source: one, or as many as it is tried if it failed the last time. A run's deadline says nothing of the
  /// source. A source of a host that was given up may have had no request, and one of a busy host fails at once if it is to
  /// wait for too long.
  private func tries(
    _ item: Item, _ known: StateStore.KnownItem?
  ) -> (expected: Int, most: Int) {
    guard let known, hasFailed(known),
      let line = parts.lines.parent.line(item.id, inChunk: known.chunk),
      let image = try? CatalogImage(reading: Array(line.text), parts.names.formats),
      let error = image.error, error.retryable, error.code != RunReport.deadlineCode
    else { return (1, 1) }
    let all = 1 + parts.file.fetch.retryPolicy.at(item.requestURL).retries
    if FetchError.wasWaiting(message: error.message) { return (0, all) }
    return (HTTPStatus.isBusy(message: error.message) ? 1 : all, all)
  }

  /// Counts the requests of an item. Files and data URLs need none.
  private mutating func request(_ item: Item, _ known: StateStore.KnownItem?) {
    if hasFailed(known) { forecast.retried += 1 }
    if item.host.isEmpty { return }
    let tries = tries(item, known)
    let host = hosts.pacedHost(at: item.requestURL)
    forecast.expected.add(requests: tries.expected, of: host)
    forecast.most.add(requests: tries.most, of: host)
  }

  private func hasFailed(_ known: StateStore.KnownItem?) -> Bool {
    known?.status == "failed" || known?.status == "stale"
  }

  /// - Parameter all: how many files the image has, all of which another image of its source needs.
  private mutating func confirm(
    _ item: Item, _ known: StateStore.KnownItem?, all: Int, makes: [String]
  ) async throws {
    // Another image of this source asks for it.
    guard try notes.add(.source, item.sourceKey) else {
      forecast.fresh += 1
      return try make(makes)
    }
    forecast.revalidated += 1
    request(item, known)
    forecast.expected.files += try new(makes)
    forecast.most.files += all
  }

  private mutating func fetch(
    _ item: Item, _ known: StateStore.KnownItem?, _ files: [String]?, _ isRejected: Bool
  ) throws {
    if try notes.add(.source, item.sourceKey) {
      request(item, known)
      if files == nil {
        unknown.most += 1
        if !isRejected, !hasFailed(known) { unknown.expected += 1 }
      }
    }
    if let files { try make(files) }
  }

  // MARK: Files

  /// Files of known bytes, each once.
  private mutating func make(_ keys: [String]) throws {
    let count = try new(keys)
    forecast.expected.files += count
    forecast.most.files += count
  }

  private func new(_ keys: [String]) throws -> Int {
    try keys.count { try notes.add(.file, $0) }
  }

  // MARK: The end

  /// - Parameter room: on the output's disk; nil if that is not known.
  mutating func end(
    _ output: any Output, _ room: FileSystem.Room?
  ) async throws -> RunForecast {
    forecast.room = room.map { .init(bytes: $0.freeBytes, inodes: $0.freeInodes) }
    let totals = try await parts.state.fileTotals()
    forecast.disk = .init(count: totals.files, bytes: totals.bytes)
    if planned.images == 0 { planned = (forecast.before ?? 0, totals.files) }
    if planned.images > 0 {
      let each = Double(planned.files) / Double(planned.images)
      forecast.expected.files += Int((each * Double(unknown.expected)).rounded())
      forecast.most.files += Int((each * Double(unknown.most)).rounded())
    }
    let bytes = totals.files > 0 ? Double(totals.bytes) / Double(totals.files) : 0
    for path in [\RunForecast.expected, \RunForecast.most] {
      let work = forecast[keyPath: path]
      forecast[keyPath: path].bytes = Int((bytes * Double(work.files)).rounded())
      forecast[keyPath: path].seconds = pace.seconds(of: work)
    }
    (forecast.gone, forecast.dropped) = try await DroppedFiles(
      notes, parts.state, output, keepsOthers: keepsOthers
    ).count()
    return forecast
  }
}
