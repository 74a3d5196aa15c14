internal import TesseraCatalog
internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Rejects an item that names a slot which the pipeline does not have, or that an image service cannot fetch.
final class CheckItem: Sendable {
  /// The pipeline's slots.
  private let names: [String]
  private let isDelivered: Bool

  init(_ runContext: RunContext) {
    names = runContext.file.plan.slots.map(\.name)
    isDelivered = runContext.file.deliveringService != nil
  }

  func failure(of item: Item) -> ItemFailure? {
    if let unknown = item.slots?.first(where: { !names.contains($0) }) {
      return .unknownSlot(unknown, known: names)
    }
    guard isDelivered, !SourceURL.isFetchable(item.shownURL) else { return nil }
    return .unreachable(
      FetchError(.badURL, "an image service fetches http(s) URLs only (\"delivery\")"))
  }
}

/// Ends the steps of an item if the same request of another item of this run has failed: the server is
/// not asked twice.
struct ShareFailure: Sendable {
  /// Whether failures of the decoder count.
  let includesBytes: Bool

  func outcome(_ context: ItemContext) -> Outcome? {
    guard let shared = context.sharedFailure, includesBytes || !shared.failure.isOfBytes else {
      return nil
    }
    context.reasons.append(.sharedResult)
    return .failed(shared.failure, isRemembered: shared.isRemembered)
  }
}

/// Looks up what earlier runs learned about the source, and which of the item's files exist.
final class LookUp: Sendable {
  private let state: StateStore
  private let planner: FilePlanner
  private let acceptance: Acceptance
  private let verdicts: Verdicts
  private let copies: SourceCopies
  private let places: FinalURLs
  private let clock: WallClock

  init(_ runContext: RunContext) {
    state = runContext.state
    planner = runContext.planner
    acceptance = runContext.acceptance
    verdicts = runContext.verdicts
    copies = runContext.copies
    places = runContext.places
    clock = runContext.clock
  }

  /// - Parameter lookup: what was known of the item when it was read.
  @inline(never)
  func perform(_ lookup: LineReuse.Lookup?, _ context: ItemContext) async throws -> Stage {
    if let stage = stage(lookup, context) { return stage }
    return stage(try await source(of: context.item), context)
  }

  /// The next stage, if nothing more is looked up.
  @inline(never)
  private func stage(_ lookup: LineReuse.Lookup?, _ context: ItemContext) -> Stage? {
    switch lookup {
    // Nothing more of a line is looked up or planned: most sources turn out to be unchanged.
    case .stands(let line) where context.sharedFailure == nil:
      context.reasons.append(line.verdict.reason)
      return .line(line)
    case .new: return stage(KnownSource(), context)
    default: return nil
    }
  }

  @inline(never)
  private func stage(_ source: KnownSource, _ context: ItemContext) -> Stage {
    let known = known(source, of: context.item)
    context.reasons.append(known.verdict.reason)
    return .known(known)
  }

  /// Looks up the rest after all.
  @inline(never)
  func perform(
    _ line: LineReuse.Line, _ answer: Answer, _ context: ItemContext
  ) async throws -> Stage {
    let known = known(try await source(of: context.item), of: context.item)
    return .answered(PendingRequest(known, line.verdict.conditions), answer)
  }

  @inline(never)
  private func known(_ source: KnownSource, of item: Item) -> Known {
    let now = clock.now()
    let hasCopy = !source.isFinished && copies.has(source, of: item)
    return Known(source, verdicts.verdict(source, hasCopy: hasCopy, now: now), now: now)
  }

  @inline(never)
  func source(of item: Item) async throws -> KnownSource {
    let known = try await knowledge(of: item)
    var filePlan: FilePlan?
    if let record = known.source, let content = known.content {
      filePlan = try await planner.filePlan(
        record.content, content.format, content.facts, for: item)
    }
    return source(of: item, known, filePlan)
  }

  @inline(never)
  private func source(
    of item: Item, _ known: StateStore.Knowledge, _ filePlan: FilePlan?
  ) -> KnownSource {
    var source = KnownSource()
    source.record = known.source.map { places.known($0, of: item) }
    source.rejection = verdicts.rejections.current(known.rejection)
    if let filePlan, let content = known.content {
      source.content = content
      source.filePlan = filePlan
      source.isReady = filePlan.isComplete && acceptance.accepts(content)
      source.isExamined = acceptance.isExamined(content)
    }
    if let header = known.header,
      header.confirmation.checked >= known.source?.confirmation.checked ?? 0
    {
      source.header = header
    }
    // A line for another source says nothing about this one.
    source.lastStatus = known.item.flatMap { last in
      last.source == item.sourceKey
        ? CatalogImage.Status(rawValue: last.status) : nil
    }
    return source
  }

  private func knowledge(of item: Item) async throws -> StateStore.Knowledge {
    try await state.knowledge(
      of: item.sourceKey, url: item.requestKey, id: verdicts.freshness.onlyFailed ? item.id : nil)
  }
}

/// Ends the steps of an item that needs nothing. If only files are missing, a kept copy of the source saves the request.
final class UseKnown: Sendable {
  private let copies: SourceCopies

  init(_ runContext: RunContext) { copies = runContext.copies }

  /// Nil if the source has to be requested.
  func perform(_ known: Known, _ context: ItemContext) -> Stage? {
    switch known.verdict.need {
    case .confirmation, .bytes: return nil
    case .nothing:
      return known.source.shown.map { .done(known.source, .shown($0.content, $0.filePlan)) }
    case .copy:
      // Bytes that another item of this run could not decode fail as a copy, too.
      guard context.sharedFailure?.failure.isOfBytes != true,
        let copy = copies.restore(known.source, for: context)
      else { return nil }
      return .received(Received(known, copy))
    }
  }
}
