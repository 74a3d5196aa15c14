internal import TesseraCatalog
internal import TesseraState
internal import TesseraSystem

/// Looks up what earlier runs learned about the source, and which of the item's files exist.
struct LookUp: Step {
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

  func perform(_ work: Work) async throws -> StepDecision {
    let item = work.item
    if let verdict = work.standing, work.sharedFailure == nil {
      // Nothing more is looked up or planned: most sources turn out to be unchanged.
      work.source.record = verdict.record
      work.source.isReady = true
      work.reasons.append(verdict.reason)
      return .next
    }
    work.standing = nil
    if !work.isNew {
      try await take(try await knowledge(of: item), work)
    }
    work.reasons.append(freshness.reason(work.source, now: clock.now()))
    return .next
  }

  /// Looks up the rest after all, because the line of an earlier run does not apply any more.
  func complete(_ work: Work) async throws {
    guard work.standing != nil else { return }
    work.standing = nil
    try await take(try await knowledge(of: work.item), work)
  }

  private func knowledge(of item: Item) async throws -> StateStore.Knowledge {
    let id = freshness.onlyFailed ? item.id : nil
    let known = try await state.knowledge(of: item.sourceKey, url: item.requestDigest, id: id)
    guard known.isEmpty, let former = item.formerKeys else { return known }
    return try await state.knowledge(of: former.source, url: former.request, id: id)
  }

  private func take(_ known: StateStore.Knowledge, _ work: Work) async throws {
    let item = work.item
    var source = KnownSource()
    source.record = known.source
    source.rejection = rejections.current(known.rejection)
    if let record = known.source, let content = known.content {
      let filePlan = try await planner.filePlan(
        record.content, content.format, content.facts, for: item)
      source.content = content
      source.filePlan = filePlan
      source.isReady = filePlan.isComplete && acceptance.accepts(content)
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
    work.source = source
  }
}
