internal import TesseraState
internal import TesseraText

/// The decisions about images, as `why` says them.
enum ReasonWords {
  static let list = WordList(
    "Reasons",
    "`decisions` of `tessera why`: what the last run decided about an image, in this order. The values are examples.",
    Reason.samples.map { Word($0.sentence, $0.stage, $0.remedy) })
}

extension Reason {
  /// Which question the reason answers.
  fileprivate var stage: String {
    switch self {
    case .unknownSource, .rejectedLastTime, .expired, .noLifetime, .alwaysRevalidated, .refreshed,
      .filesMissing, .noLongerAccepted, .headerDiffers:
      "why the source was requested"
    case .fresh, .neverRevalidated, .checkedInThisRun, .onlyFailedRequested:
      "why the source was not requested"
    case .notModified, .fetchedFirst, .fetchedAgain, .sameBytes, .sameRejectedBytes, .changed,
      .keptCopy, .sharedResult:
      "what came of the request"
    case .knownBytes, .rejectedBefore, .backOff, .decoded, .failed:
      "what became of the bytes"
    case .layoutRun, .knownSizeFresh, .sameHeader, .headerRead:
      "what a run with --layout-only did"
    }
  }

  /// How a person has it otherwise.
  fileprivate var remedy: String? {
    switch self {
    case .fresh, .checkedInThisRun, .knownSizeFresh:
      "to request it now: tessera run --only ID --refresh"
    case .neverRevalidated: "to have changes noticed: fetch.revalidate: when-stale"
    case .alwaysRevalidated: "to save requests: fetch.revalidate: when-stale"
    case .onlyFailedRequested: "run without --retry-failed"
    case .expired, .noLifetime:
      "to save requests: have the server send a longer max-age in Cache-Control"
    case .filesMissing: "to find what else is missing: tessera verify OUTPUT"
    case .noLongerAccepted: "the pipeline file has changed: accept, limits or fail-on"
    case .sameRejectedBytes, .rejectedBefore: "replace the file at its source with an intact image"
    case .backOff: "to try now: tessera run --retry-failed"
    case .failed: "see the code below \"Errors of images\""
    case .layoutRun: "run without --layout-only to make files"
    case .unknownSource, .rejectedLastTime, .refreshed, .headerDiffers, .notModified, .fetchedFirst,
      .fetchedAgain, .sameBytes, .changed, .keptCopy, .sharedResult, .knownBytes, .decoded,
      .sameHeader, .headerRead:
      nil
    }
  }
}
