internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// What a run asks before it goes on with its manifest. By default it may do anything.
struct RunChecks: Sendable {
  /// Decides whether the output is this pipeline's; nil for any output.
  var owner: OutputOwner?
  /// Decides on the number of items; nil for any number.
  var shrinking: ShrinkGuard?
  /// Images that are left out.
  var forgotten = ForgottenItems()
  /// Whether any number of images may fail: then `fail-above` does not count.
  var allowsFailures = false

  /// - Throws: if a run does not accept a manifest that was read to its end.
  func check(
    _ entries: EntryStream, _ manifest: ManifestStream, _ claims: ChunkClaims
  ) throws {
    // A list without one usable line is not a list: an error page in its place, or a damaged file.
    if !entries.hasEntries, let problem = entries.firstProblem {
      throw TesseraError.manifest(
        path: manifest.path,
        reason: "none of its lines can be used; \(problem.place): \(problem.message)")
    }
    if let reason = shrinking?.reason(toRejectItems: entries.count) {
      throw TesseraError.manifest(path: manifest.path, reason: reason)
    }
    try owner?.check(claims)
  }
}

/// Notices before a catalog is replaced that it would lose images that it shows: a server that answers 404 for good
/// images after a deploy, a `rewrite` that makes wrong URLs of right ones. It compares with the current
/// catalog and not with the last run, which may have been stopped by this guard.
struct LossGuard {
  let limit: Double
  let output: any Output
  let state: StateStore
  let run: Int
  let claims: ChunkClaims
  /// What the run learns only sizes of is not lost: the next one makes its files.
  let extent: RunExtent
  /// Whether requests of the same manifest go to other URLs than those of the last run.
  let hasOtherAddresses: Bool
  /// Whether images that the run does not have stay as they are.
  var keepsOthers = false

  /// - Throws: ``TesseraError`` of the code `lostImages`.
  func check(_ report: RunReport) async throws {
    let expected = CatalogLine.shownStatuses.union(extent == .layout ? ["pending"] : [])
    let shown = expected.reduce(0) { $0 + report.count($1) }
    guard limit < 100, LossCount.isOfInterest(hidden: report.total - shown, shown: shown) else {
      return
    }
    let count = try await LossCount(in: output) { ids in
      try await state.statuses(of: ids, in: run, claims).map { status in
        status.map(expected.contains) ?? (keepsOthers ? true : nil)
      }
    }
    if count.isAbove(limit) {
      throw TesseraError.lostImages(diagnosis(count, report), output: output.location)
    }
  }

  private func diagnosis(_ count: LossCount, _ report: RunReport) -> String {
    let reasons = report.reasons.prefix(3)
    return count.sentence(limit: limit)
      + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))")
      + "; the last good catalog stands, and what was learned is kept"
      + (hasOtherAddresses
        ? "; \"rewrite\" or \"base\" has changed since that catalog was made: check that it makes the right URLs"
        : "")
  }
}
