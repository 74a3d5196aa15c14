internal import TesseraCatalog
internal import TesseraState
internal import TesseraSystem

/// Looks up what earlier runs learned about the source, and which of the item's files exist.
struct LookUp: Sendable {
  private let state: StateStore
  private let planner: FilePlanner
  private let acceptance: Acceptance
  private let freshness: FreshnessPolicy
  private let rejections: RejectionPolicy
  private let clock: WallClock

  init(_ parts: RunParts) {
    state = parts.state
    planner = parts.planner
    acceptance = parts.acceptance
    freshness = parts.freshness
    rejections = parts.rejections
    clock = parts.clock
  }

  /// - Parameter lookup: what was known of the item when it was read.
  func perform(_ lookup: LineReuse.Lookup?, _ context: ItemContext) async throws -> Stage {
    // Nothing more of a line is looked up or planned: most sources turn out to be unchanged.
    if case .stands(let verdict) = lookup, context.sharedFailure == nil {
      context.reasons.append(verdict.reason)
      return .line(verdict)
    }
    let isNew = if case .new = lookup { true } else { false }
    let known = known(isNew ? KnownSource() : try await source(of: context.item))
    context.reasons.append(known.freshness.reason)
    return .known(known)
  }

  /// Looks up the rest after all.
  func perform(
    _ line: LineReuse.Verdict, _ answer: Answer, _ context: ItemContext
  ) async throws -> Stage {
    let known = known(try await source(of: context.item))
    return .answered(Asked(known, Question(condition: line.record.condition)), answer)
  }

  private func known(_ source: KnownSource) -> Known {
    Known(source, freshness, now: clock.now())
  }

  func source(of item: Item) async throws -> KnownSource {
    let known = try await knowledge(of: item)
    var source = KnownSource()
    source.record = known.source
    source.rejection = rejections.current(known.rejection)
    if let record = known.source, let content = known.content {
      let filePlan = try await planner.filePlan(
        record.content, content.format, content.facts, for: item)
      source.content = content
      source.filePlan = filePlan
      source.isReady = filePlan.isComplete && acceptance.accepts(content)
      source.isExamined = acceptance.isExamined(content)
    }
    if let header = known.header,
      header.confirmation.checked > known.source?.confirmation.checked ?? 0
    {
      source.header = header
    }
    // A line for another source says nothing about this one.
    source.lastStatus = known.lastResult.flatMap { last in
      [item.sourceKey, item.formerKeys?.source].contains(last.source)
        ? CatalogImage.Status(rawValue: last.status) : nil
    }
    return source
  }

  private func knowledge(of item: Item) async throws -> StateStore.Knowledge {
    let id = freshness.onlyFailed ? item.id : nil
    let known = try await state.knowledge(of: item.sourceKey, url: item.requestDigest, id: id)
    guard known.isEmpty, let former = item.formerKeys else { return known }
    return try await state.knowledge(of: former.source, url: former.request, id: id)
  }
}
