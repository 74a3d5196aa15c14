internal import TesseraCatalog
internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraState

/// What an item needs, and why.
struct Verdict: Sendable {
  enum Need: Sendable {
    /// Nothing: its line, its files or its size are what is known.
    case nothing
    /// Files are made of a kept copy of its bytes.
    case copy
    /// The server confirms that the source is still what is known, or sends another one.
    case confirmation(Conditions)
    /// The bytes, changed or not.
    case bytes
  }

  var need: Need
  var reason: Reason

  var needsNothing: Bool { if case .nothing = need { true } else { false } }

  /// What a request for the source asks.
  var conditions: Conditions {
    if case .confirmation(let conditions) = need { conditions } else { Conditions() }
  }
}

/// What a request asks. Without a condition, the source has to be sent, changed or not.
struct Conditions: Sendable {
  var condition: Condition?
  /// The rejection that a "not modified" confirms; nil if it confirms the known bytes.
  var rejection: RejectionRecord?
}

/// Decides what chunks of the manifest and items need, by what is known of them: the run, `plan`, `--only`, `--only-failed`,
/// `upgrade` and shards ask here, and `why` shows the reason. Pure: moments are given to it, in seconds since 1970.
struct Verdicts: Sendable {
  let freshness: FreshnessPolicy
  let rejections: RejectionPolicy

  /// Whether the lines of a chunk are copied from the last catalog.
  ///
  /// - Parameter isWanted: whether the run is for its images; if not, their age does not count.
  static func copies(_ chunk: Chunk, isWanted: Bool, now: Double) -> Bool {
    chunk.mayStand && (!isWanted || now < chunk.freshUntil)
  }

  /// What the item of a line needs that was made of the same as now.
  ///
  /// - Parameters:
  ///   - isRejected: whether an answer of the server has been rejected since.
  ///   - condition: asks whether the record still applies.
  /// - Returns: nil if the line is of no use.
  func verdict(
    ofLineOf record: SourceRecord, isRejected: Bool, condition: @autoclosure () -> Condition?,
    now: Double
  ) -> Verdict? {
    var source = KnownSource()
    source.record = record
    (source.isReady, source.lastStatus) = (true, .ok)
    let isFresh = freshness.isFresh(source, now: now)
    let reason = reason(source, isFresh)
    if isFresh { return Verdict(need: .nothing, reason: reason) }
    guard !isRejected, let condition = condition() else { return nil }
    return Verdict(need: .confirmation(Conditions(condition: condition)), reason: reason)
  }

  /// What an item needs of whose source this is known.
  ///
  /// - Parameter hasCopy: whether there is a copy of the known bytes.
  func verdict(_ source: KnownSource, hasCopy: Bool, now: Double) -> Verdict {
    let isFresh = freshness.isFresh(source, now: now)
    return Verdict(
      need: need(source, isFresh, hasCopy: hasCopy, now), reason: reason(source, isFresh))
  }

  private func need(
    _ source: KnownSource, _ isFresh: Bool, hasCopy: Bool, _ now: Double
  ) -> Verdict.Need {
    if isFresh, source.isFinished, source.shown != nil { return .nothing }
    if isFresh, hasCopy { return .copy }
    if freshness.refreshes { return .bytes }
    // A rejected answer is newer than the bytes that are shown.
    if let rejection = rejections.believed(source.rejection, now: now),
      let condition = rejection.condition
    {
      return .confirmation(Conditions(condition: condition, rejection: rejection))
    }
    // "Has it changed?" is only asked if a "no" would be of use.
    guard source.isFinished || hasCopy, let condition = source.record?.condition else {
      return .bytes
    }
    return .confirmation(Conditions(condition: condition))
  }

  /// What an item needs in a run that learns sizes only.
  ///
  /// - Parameters:
  ///   - size: the last known one; nil if there is none that is accepted.
  ///   - isWhole: whether nothing has to be counted in the source.
  func verdict(
    ofSize size: KnownSize?, _ source: KnownSource, isWhole: Bool, now: Double
  ) -> Verdict {
    if isWhole, let size {
      if freshness.isLeftAlone(source) {
        return Verdict(need: .nothing, reason: .onlyFailedRequested)
      }
      if freshness.isFresh(size.confirmation, now: now) {
        return Verdict(need: .nothing, reason: .knownSizeFresh)
      }
    }
    guard !freshness.refreshes, let condition = size?.condition else {
      return Verdict(need: .bytes, reason: .layoutRun)
    }
    return Verdict(need: .confirmation(Conditions(condition: condition)), reason: .layoutRun)
  }

  /// Whether no files of a better format are made, because they could not be made of these bytes.
  ///
  /// - Parameter record: how that failed.
  func leavesAlone(
    _ source: KnownSource, afterUpgrade record: RejectionRecord?, now: Double
  ) -> Bool {
    rejections.believed(rejections.current(record), now: now)
      .map { $0.content == source.record?.content } ?? false
  }

  // MARK: Reasons

  private func reason(_ source: KnownSource, _ isFresh: Bool) -> Reason {
    guard let record = source.record else {
      return source.rejection == nil ? .unknownSource : .rejectedLastTime
    }
    let confirmation = record.confirmation
    if isFresh { return reasonToReuse(source, confirmation) }
    if freshness.refreshes { return .refreshed }
    if source.rejection != nil { return .rejectedLastTime }
    if source.header != nil { return .headerDiffers }
    if freshness.revalidation == .always { return .alwaysRevalidated }
    guard let end = confirmation.freshUntil else {
      return .noLifetime(checked: confirmation.checked)
    }
    return .expired(checked: confirmation.checked, freshUntil: end)
  }

  private func reasonToReuse(_ source: KnownSource, _ confirmation: Confirmation) -> Reason {
    if freshness.onlyFailed, source.isReady, source.lastStatus == .ok {
      return .onlyFailedRequested
    }
    if let filePlan = source.filePlan, !source.isFinished {
      let missing = filePlan.missing.count
      return missing > 0
        ? .filesMissing(missing, of: filePlan.keys.count) : .noLongerAccepted
    }
    if confirmation.run == freshness.run { return .checkedInThisRun }
    if freshness.revalidation == .never { return .neverRevalidated }
    return .fresh(until: confirmation.freshUntil ?? confirmation.checked)
  }
}
