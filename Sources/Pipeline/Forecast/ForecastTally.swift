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
  private let costs: RunCosts
  private let notes: ForecastNotes
  private let hosts: HostRules
  /// Whether images that were not read keep their files.
  private var keepsOthers: Bool
  private var forecast = RunForecast()
  /// Images whose files are known, and these: what a new image is taken to need.
  private var planned = (images: 0, files: 0)
  /// All files of those whose plan was made, as if none was there.
  private var jobs = JobSum()
  private var unmeasured: Set<String> = []
  /// New images, whose files follow from the others.
  private var unknown = (expected: 0, most: 0)

  /// - Parameter before: the images of the last run of all.
  init(
    _ parts: RunParts, _ extent: RunExtent, _ costs: RunCosts, _ before: Int, isSelection: Bool
  ) throws(StateError) {
    (self.parts, self.costs) = (parts, costs)
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
      case .standing(let stretch):
        stand(stretch.sum.count)
        planned.images += stretch.sum.count
        planned.files += stretch.files
        try notes.add(.stretch, "\(stretch.number)")
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
        try await confirm(item, known, all: nil, files: files, makes: nil)
      }
      return
    }
    let (step, plan) = try await items.forecast(item, lookup)
    if let plan {
      planned.images += 1
      planned.files += plan.keys.count
      jobs.add(JobSize(plan.facts, plan.plan.files), files: plan.keys.count)
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
      try await confirm(item, known, all: all, files: all?.files.count ?? 0, makes: makes)
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
      let image = try? CatalogImage(reading: Array(known.line.utf8), parts.names.formats),
      let error = image.error, error.retryable, error.code != RunReport.deadlineCode
    else { return (1, 1) }
    let all = 1 + parts.file.fetch.retryPolicy.at(item.requestURL).retries
    if FetchError.wasWaiting(message: error.message) { return (0, all) }
    return (HTTPStatus.isBusy(message: error.message) ? 1 : all, all)
  }

  /// Sets the requests of an item. Files and data URLs need none.
  private func request(_ item: Item, _ count: Int, _ work: inout RunForecast.Work) {
    work.requests = item.host.isEmpty ? 0 : count
    work.paced = hosts.pacedHost(at: item.requestURL).map { [$0: count] } ?? [:]
  }

  private func hasFailed(_ known: StateStore.KnownItem?) -> Bool {
    known?.status == "failed" || known?.status == "stale"
  }

  /// - Parameter files: how many the image has.
  private mutating func confirm(
    _ item: Item, _ known: StateStore.KnownItem?, all: ItemForecast.KnownFiles?, files: Int,
    makes: ItemForecast.KnownFiles?
  ) async throws {
    // Another image of this source asks for it.
    guard try notes.add(.source, item.sourceKey) else {
      forecast.fresh += 1
      if let makes { try make(makes) }
      return
    }
    forecast.revalidated += 1
    if hasFailed(known) { forecast.retried += 1 }
    var work = RunForecast.Work()
    let tries = tries(item, known)
    request(item, tries.expected, &work)
    work.fetchSeconds = costs.confirmationSeconds
    forecast.expected += work
    request(item, tries.most, &work)
    if let makes { try make(makes, isMost: false) }
    // Another image of about the same size.
    work.fetchSeconds = costs.transferSeconds
    work.bytesFetched = all?.bytes.map(Double.init) ?? costs.sourceBytes
    let job = all.map { JobSize($0.facts, $0.files.map(\.file)) } ?? usualJob(files: Double(files))
    work += made(job, of: all?.format, files: files)
    forecast.most += work
  }

  private mutating func fetch(
    _ item: Item, _ known: StateStore.KnownItem?, _ files: ItemForecast.KnownFiles?,
    _ isRejected: Bool
  ) throws {
    guard try notes.add(.source, item.sourceKey) else {
      if let files { try make(files) }
      return
    }
    var work = RunForecast.Work()
    let tries = tries(item, known)
    request(item, tries.most, &work)
    if hasFailed(known) { forecast.retried += 1 }
    let isExpected = files != nil || isRejected || !hasFailed(known)
    work.fetchSeconds = costs.transferSeconds
    work.bytesFetched = files?.bytes.map(Double.init) ?? costs.sourceBytes
    forecast.most += work
    if !isExpected { work.bytesFetched = 0 }
    request(item, tries.expected, &work)
    forecast.expected += work
    if let files { return try make(files) }
    unknown.most += 1
    if isExpected, !isRejected { unknown.expected += 1 }
  }

  // MARK: Files

  /// Files of known bytes, each once.
  private mutating func make(_ known: ItemForecast.KnownFiles, isMost: Bool = true) throws {
    let new = try known.files.filter { try notes.add(.file, $0.key) }
    let work = made(
      JobSize(known.facts, new.map(\.file)), of: known.format, files: new.count)
    forecast.expected += work
    if isMost { forecast.most += work }
  }

  /// - Parameter format: of the source; nil if that is not known.
  private mutating func made(_ job: JobSize, of format: String?, files: Int) -> RunForecast.Work {
    unmeasured.formUnion(costs.unmeasured(job.encoders))
    var work = costs.work(job, of: format)
    work.files = files
    return work
  }

  /// The job for a source that is not known: like those of this run, or else like those of earlier ones.
  private func usualJob(files: Double) -> JobSize {
    jobs.mean(files: files) ?? costs.usualJob(files: files)
  }

  private mutating func newImages(_ count: Int) -> RunForecast.Work {
    guard count > 0 else { return RunForecast.Work() }
    let each =
      planned.images > 0
      ? Double(planned.files) / Double(planned.images) : costs.filesOfSource
    var job = usualJob(files: each)
    job.multiply(by: Double(count))
    return made(job, of: nil, files: Int((each * Double(count)).rounded()))
  }

  // MARK: The end

  /// How far the time of an encoder may be off that is estimated from others: content and libraries differ.
  private static let uncertainty = 2.0

  /// - Parameter room: on the output's disk; nil if that is not known.
  mutating func end(
    _ output: any Output, _ room: FileSystem.Room?
  ) async throws -> RunForecast {
    forecast.room = room.map { .init(bytes: $0.freeBytes, inodes: $0.freeInodes) }
    forecast.expected += newImages(unknown.expected)
    forecast.most += newImages(unknown.most)
    forecast.dependsOnOrigins = forecast.expected != forecast.most
    forecast.unmeasured = unmeasured.sorted()
    forecast.expected.widen(by: 1 / Self.uncertainty)
    forecast.most.widen(by: Self.uncertainty)
    for path in [\RunForecast.expected, \RunForecast.most] {
      forecast[keyPath: path].seconds = costs.seconds(
        of: forecast[keyPath: path], waits: forecast.retried > 0)
    }
    let totals = try await parts.state.fileTotals()
    forecast.disk = .init(count: totals.files, bytes: totals.bytes)
    (forecast.gone, forecast.dropped) = try await DroppedFiles(
      notes, parts.state, output, keepsOthers: keepsOthers
    ).count()
    return forecast
  }
}
