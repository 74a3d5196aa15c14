internal import TesseraCatalog
internal import TesseraDelivery
internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// The last step of every item: turns the outcome into a line of the catalog and saves it, together
/// with everything that was learned about the source, in one visit to the state.
struct Record: Sendable {
  private let state: StateStore
  private let entries: ImageEntries
  private let stale: StalePolicy
  /// Makes the variants; nil if the run makes files.
  private let service: ImageService?
  private let standing: LineReuse?
  private let clock: WallClock
  private let recorder: RunRecorder

  init(_ parts: RunParts) {
    state = parts.state
    entries = ImageEntries(parts.file)
    stale = parts.stale
    service = parts.file.deliveringService
    standing = parts.standing
    clock = parts.clock
    recorder = parts.recorder
  }

  func perform(_ work: Work, _ outcome: Outcome) async throws -> ItemDone {
    let item = work.item
    let lost = try await lost(work, outcome)
    var (image, content) = entry(work, outcome, isKept: lost.isKept)
    image.alt = item.entry.alt
    image.focus = item.focus.map { CatalogFocus(x: $0.x, y: $0.y) }
    if [.ok, .stale].contains(image.status) { image.source = entries.provenance(work) }
    if let error = image.error {
      correctClock(work)
      work.reasons.append(.failed(code: error.code, message: error.message))
    }
    // Only a line without an error has a inputs: items with other lines are processed in every run.
    var result = StateStore.ItemResult(
      id: item.id, line: ResultLines.line(image, extra: item.entry.extra),
      status: image.status.rawValue, reasons: work.reasons, content: content,
      inputs: image.status == .ok ? standing?.inputs(item) : nil,
      placeholder: (outcome.filePlan ?? work.source.filePlan)?.placeholderKey)
    result.isLost = lost.isNoted
    let isOther = try await state.save(
      result, work.change, key: item.sourceKey, url: item.requestDigest)
    let change = isOther.map { $0 ? ItemReport.Change.changed : .reused } ?? .new
    var done = ItemDone(report: work.report(image.status, image.error, change))
    if case .failed(let failure) = outcome {
      // An unknown slot concerns this item alone; what others found out about the request remains.
      done.sharedFailure =
        failure.isShared
        ? SharedFailure(failure: failure, isRemembered: work.isRemembered) : work.sharedFailure
    }
    return done
  }

  /// Keeps the item's line of an earlier run.
  func keep(_ verdict: LineReuse.Verdict, _ work: Work) async throws -> ItemDone {
    try await state.confirm(
      work.item.id, reasons: work.reasons, work.change.source, key: work.item.sourceKey)
    recorder.count(verdict)
    return ItemDone(report: work.report(.ok, nil, .reused))
  }

  /// Whether a failure means that the source is gone, and whether its last good files remain shown all the same.
  private func lost(
    _ work: Work, _ outcome: Outcome
  ) async throws -> (isNoted: Bool, isKept: Bool) {
    guard case .failed(let failure) = outcome, stale.maybeKept(after: failure, work.source) else {
      return (false, false)
    }
    let now = clock.now()
    let since = try await state.lostSince(work.item.id, now: now)
    return (true, stale.isKept(since: since, now: now))
  }

  private func correctClock(_ work: Work) {
    guard work.change.source == nil,
      let source = StalePolicy.corrected(work.source.record, now: clock.now())
    else { return }
    work.change.source = source
    // A newer header would be deleted with the source's old record.
    work.change.header = work.change.header ?? work.source.header
  }

  /// The item's entry, and the SHA-256 of the bytes that it shows.
  ///
  /// - Parameter isKept: whether the files of a source that is gone remain shown.
  private func entry(
    _ work: Work, _ outcome: Outcome, isKept: Bool
  ) -> (CatalogImage, content: String?) {
    let item = work.item
    let known = work.source.record?.content
    switch outcome {
    case .shown(let content, let filePlan):
      recorder.count(filePlan, made: work.madeCount)
      return (entries.shown(item, content, filePlan), filePlan.content)
    case .pending(let size):
      let plan = entries.plan(of: size, for: item)
      recorder.count(plan)
      if let service {
        recorder.update { $0.variantsDelivered += plan.files.count }
        return (entries.delivered(item, size, plan, by: service), nil)
      }
      // A newer header shows that the known bytes are no longer there.
      let content = if case .bytes = size { known } else { nil as String? }
      return (entries.pending(item, size, plan), content)
    case .failed(let failure):
      if let service,
        let size = stale.size(after: failure, work.source, now: clock.now())
          ?? (isKept ? KnownSize(work.source) : nil)
      {
        let plan = entries.plan(of: size, for: item)
        return (entries.delivered(item, size, plan, by: service, error: failure), nil)
      }
      let keepsSize = StalePolicy.keepsKnownSize(after: failure, work.source)
      if stale.isStale(after: failure, work.source, now: clock.now())
        || (isKept && work.source.isReady), let (content, filePlan) = work.source.shown
      {
        return (entries.shown(item, content, filePlan, error: failure), known)
      }
      let image = entries.failed(item, failure, known: keepsSize ? work.source : nil)
      return (image, keepsSize ? known : nil)
    }
  }
}
