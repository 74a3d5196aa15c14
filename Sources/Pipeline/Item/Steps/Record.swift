internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Keeps the bytes of a source that can be shown, for items and runs that need other files of it, and
/// notes that the server confirmed them.
final class Keep: Sendable {
  private let copies: SourceCopies
  private let confirmer: SourceConfirmer

  init(_ runContext: RunContext) {
    copies = runContext.copies
    confirmer = runContext.confirmer
  }

  func perform(_ complete: Complete, _ context: ItemContext) -> Stage {
    let bytes = complete.received.bytes
    // A copy confirms nothing; only an answer of the server does.
    if let response = bytes.response {
      copies.keep(bytes, of: context.item)
      context.change.source = confirmer.record(bytes.digest, response)
      context.change.rejection = .forget
    }
    return .done(
      complete.received.known.source, .shown(complete.content, complete.filePlan))
  }
}

/// The last step of every item: turns the outcome into a line of the catalog and saves it, together
/// with everything that was learned about the source, in one visit to the state.
final class Record: Sendable {
  private let state: StateStore
  private let lines: RunLines
  private let entries: ImageEntries
  private let freshness: FreshnessPolicy
  private let stale: StalePolicy
  /// Makes the variants; nil if the run makes files.
  private let service: ImageService?
  private let standing: LineReuse?
  private let upgrades: UpgradeQueue?
  private let clock: WallClock
  private let places: FinalURLs
  private let recorder: RunRecorder

  init(_ runContext: RunContext) {
    upgrades = runContext.upgrades
    state = runContext.state
    lines = runContext.lines
    entries = ImageEntries(runContext.file)
    freshness = runContext.freshness
    stale = runContext.stale
    service = runContext.file.deliveringService
    standing = runContext.standing
    clock = runContext.clock
    places = runContext.places
    recorder = runContext.recorder
  }

  @inline(never)
  func perform(_ done: Done, _ context: ItemContext) async throws -> ItemDone {
    let loss = try await loss(done, context.item)
    let draft = draft(of: done, context, loss)
    var change = context.change
    change.source = change.source.map { places.stored($0, of: context.item) }
    try lines.put(Array(draft.result.line.utf8), of: context.item)
    let former = try await state.save(
      draft.result, change, key: context.item.sourceKey, url: context.item.requestKey)
    return end(draft, done, context, former)
  }

  /// An item's entry of the catalog, and what is saved with it.
  private final class Draft: Sendable {
    let image: CatalogImage
    let result: ItemResult

    init(_ image: CatalogImage, _ result: ItemResult) {
      (self.image, self.result) = (image, result)
    }
  }

  @inline(never)
  private func draft(
    of done: Done, _ context: ItemContext, _ loss: Loss
  ) -> Draft {
    let (item, source, outcome) = (context.item, done.source, done.outcome)
    var image = entry(source, outcome, context, loss)
    image.alt = item.entry.alt
    image.focus = item.focus
    if [.ok, .stale].contains(image.status) {
      image.provenance = entries.provenance(
        context.change.source ?? source.record, outcome.shown?.content ?? source.content,
        isFile: SourceURL.scheme(of: item.requestURL) == "file")
    }
    if let error = image.error {
      correctClock(source, context)
      context.reasons.append(.failed(code: error.code, message: error.message))
    }
    // Only a line without an error has inputs: items with other lines are processed in every run.
    var result = ItemResult(
      id: item.id, line: String(decoding: image.line(extra: item.entry.extra), as: UTF8.self),
      status: image.status.rawValue, reasons: context.reasons,
      inputs: image.status == .ok ? standing?.inputs(item) : nil,
      placeholder: (outcome.shown?.filePlan ?? source.filePlan)?.placeholderKey,
      files: image.source,
      // The host that was requested, unless the pipeline keeps URLs private.
      host: image.error == nil || image.url == nil ? nil : Self.host(of: item.requestURL))
    result.isLost = loss != .none
    result.failure = Self.failure(of: image)
    return Draft(image, result)
  }

  /// What the end of the run's time, or a size alone, says of an image is nothing.
  private static func failure(of image: CatalogImage) -> ItemResult.Failure {
    guard let error = image.error else { return image.status == .pending ? .unknown : .none }
    return error.code == RunReport.deadlineCode ? .unknown : .seen
  }

  /// - Parameter former: what the item was before; nil if it had no line.
  @inline(never)
  private func end(
    _ draft: Draft, _ done: Done, _ context: ItemContext, _ former: StateStore.FormerResult?
  ) -> ItemDone {
    let (image, outcome) = (draft.image, done.outcome)
    let change = former.map { $0.isOther ? ItemReport.Change.changed : .reused } ?? .new
    if image.status == .ok, outcome.shown?.filePlan.isUpgraded == false {
      upgrades?.offer(image, context.item)
    }
    var shared: SharedFailure?
    if case .failed(let failure, let isRemembered) = outcome {
      // An unknown slot concerns this item alone; what others found out about the request remains.
      shared =
        failure.isShared
        ? SharedFailure(failure: failure, isRemembered: isRemembered) : context.sharedFailure
    }
    var report = context.report(image.status, image.error, change)
    report.failure = ItemReport.FailureChange(
      from: former, to: draft.result.failure, image.status)
    if image.status == .stale, draft.result.failure == .seen {
      report.confirmed =
        (done.source.record?.confirmation ?? done.source.header?.confirmation)?
        .checked
      report.host = context.item.host
    }
    if image.status == .ok, let filePlan = outcome.shown?.filePlan {
      let record = context.change.source ?? done.source.record
      report.kept = KeptLine(
        freshUntil: record.map { freshness.end(of: $0.confirmation) } ?? 0,
        places: filePlan.plan.asked,
        files: filePlan.keys.count)
    }
    return ItemDone(report, sharedFailure: shared)
  }

  /// Keeps the item's line of an earlier run.
  @inline(never)
  func keep(_ line: LineReuse.Line, _ context: ItemContext) async throws -> ItemDone {
    try lines.keep(line.range, of: context.item)
    try await state.confirm(
      context.item.id, reasons: context.reasons,
      context.change.source.map { places.stored($0, of: context.item) }, key: context.item.sourceKey
    )
    var kept = line.kept
    kept.freshUntil = context.change.source.map { freshness.end(of: $0.confirmation) } ?? 0
    recorder.count(kept)
    if let value = line.upgrade { upgrades?.offer(value, context.item) }
    var report = context.report(.ok, nil, .reused)
    report.kept = kept
    return ItemDone(report)
  }

  /// The host of a URL; nil without one, as that of a file.
  private static func host(of url: String) -> String? {
    let host = url.contains("://") ? SourceHost.name(of: url) : ""
    return host.isEmpty ? nil : host
  }

  /// Whether the source of an item is gone, and whether its last good files remain shown all the same.
  private enum Loss { case none, hidden, kept }

  private func loss(_ done: Done, _ item: Item) async throws -> Loss {
    guard case .failed(let failure, _) = done.outcome else { return .none }
    let now = clock.now()
    let since =
      StalePolicy.isLoss(failure, of: done.source)
      ? try await state.lostSince(item.id, now: now) : try await state.lostBefore(item.id)
    return since.map { stale.isKept(since: $0, now: now) ? .kept : .hidden } ?? .none
  }

  /// Whether the last good files remain shown after a failure.
  private func isShown(after failure: ItemFailure, _ source: KnownSource, _ loss: Loss) -> Bool {
    switch loss {
    case .none: stale.isStale(after: failure, source, now: clock.now())
    case .kept: source.isReady
    case .hidden: false
    }
  }

  /// The size of an image that an image service goes on to show after a failure; nil if it does not.
  private func size(
    after failure: ItemFailure, _ source: KnownSource, _ loss: Loss
  ) -> KnownSize? {
    switch loss {
    case .none: stale.size(after: failure, source, now: clock.now())
    case .kept: KnownSize(source)
    case .hidden: nil
    }
  }

  private func correctClock(_ source: KnownSource, _ context: ItemContext) {
    guard context.change.source == nil,
      let record = StalePolicy.corrected(source.record, now: clock.now())
    else { return }
    context.change.source = record
    // A newer header would be deleted with the source's old record.
    context.change.header = context.change.header ?? source.header
  }

  /// The item's entry.
  private func entry(
    _ source: KnownSource, _ outcome: Outcome, _ context: ItemContext, _ loss: Loss
  ) -> CatalogImage {
    let item = context.item
    switch outcome {
    case .shown(let content, let filePlan):
      // An upgraded one is counted already.
      if !item.wantsUpgrade { recorder.count(filePlan, made: context.made.files) }
      return entries.shown(item, content, filePlan)
    case .pending(let size):
      let plan = entries.plan(of: size, for: item)
      recorder.count(plan)
      if let service {
        let delivered = plan.variants.lazy.filter { !$0.isOriginal }.map(\.files.count)
        recorder.update { $0.variantsDelivered += delivered.reduce(0, +) }
        return entries.delivered(item, size, plan, by: service)
      }
      return entries.pending(item, size, plan)
    case .failed(let failure, _):
      if let service, let size = size(after: failure, source, loss) {
        let plan = entries.plan(of: size, for: item)
        return entries.delivered(item, size, plan, by: service, error: failure)
      }
      let keepsSize = StalePolicy.keepsKnownSize(after: failure, source)
      if isShown(after: failure, source, loss), let (content, filePlan) = source.shown {
        return entries.shown(item, content, filePlan, error: failure)
      }
      return entries.failed(item, failure, known: keepsSize ? source : nil)
    }
  }
}
