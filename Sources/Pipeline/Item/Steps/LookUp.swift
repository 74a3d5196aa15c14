internal import TesseraCatalog
internal import TesseraState
internal import TesseraSystem

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
