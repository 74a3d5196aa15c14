internal import TesseraManifest
internal import TesseraOutput
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
