internal import TesseraCatalog
internal import TesseraJSON
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
    if let verdict = work.standing, work.finding == nil {
      // Nothing more is looked up or planned: most sources turn out to be unchanged.
      work.source.record = verdict.record
      work.source.isReady = true
      work.reasons.append(verdict.reason)
      return .next
    }
    work.standing = nil
    if !work.isNew {
      let known = try await state.knowledge(
        of: item.sourceKey, url: item.requestDigest, id: freshness.onlyFailed ? item.id : nil)
      try await take(known, work)
    }
    work.reasons.append(freshness.reason(work.source, now: clock.now()))
    return .next
  }

  /// Looks up the rest after all, because the line of an earlier run does not apply any more.
  func complete(_ work: Work) async throws {
    guard work.standing != nil else { return }
    work.standing = nil
    try await take(
      try await state.knowledge(of: work.item.sourceKey, url: work.item.requestDigest), work)
  }

  private func take(_ known: StateStore.Knowledge, _ work: Work) async throws {
    let item = work.item
    var source = KnownSource()
    source.record = known.source
    source.rejection = rejections.current(known.rejection)
    if let record = known.source, let content = known.content {
      let blueprint = try await planner.blueprint(
        record.content, content.format, content.facts, for: item)
      source.content = content
      source.blueprint = blueprint
      source.isReady = blueprint.isComplete && acceptance.accepts(content)
    }
    if let header = known.header,
      header.confirmation.checked > known.source?.confirmation.checked ?? 0
    {
      source.header = header
    }
    source.lastStatus = known.lastResult.flatMap { Self.status($0.line, of: item) }
    work.source = source
  }

  /// The status in an item's last line; nil if the line was for another URL.
  private static func status(_ line: String, of item: Item) -> CatalogImage.Status? {
    // A line that cannot be read counts as none.
    guard let (image, _) = try? JSONParser.parse(Array(line.utf8), keepingText: "extra"),
      image["url"]?.stringValue == item.shownURL
    else { return nil }
    return image["status"]?.stringValue.flatMap(CatalogImage.Status.init(rawValue:))
  }
}
