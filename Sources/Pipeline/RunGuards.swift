internal import TesseraManifest
internal import TesseraOutput

/// What a run asks before it goes on with its manifest. By default it may do anything.
struct RunGuards: Sendable {
  /// Decides whether the output is this pipeline's; nil for any output.
  var owner: OutputOwner?
  /// Decides on the number of items; nil for any number.
  var shrinking: ShrinkGuard?
  /// Images that are left out.
  var forgotten = ForgottenItems()
  /// Whether any number of images may fail: then `fail-above` does not count.
  var allowsFailures = false

  /// Why a run does not accept a manifest that was read to its end; nil if it does.
  func rejection(of entries: EntryStream, _ manifest: ManifestStream) -> PipelineError? {
    // A list without one usable line is not a list: an error page in its place, or a damaged file.
    if !entries.hasEntries, let problem = entries.firstProblem {
      return .manifest(
        path: manifest.path,
        reason: "none of its lines can be used; \(problem.place): \(problem.message)")
    }
    return shrinking?.reason(toRejectItems: entries.count).map {
      .manifest(path: manifest.path, reason: $0)
    }
  }
}
