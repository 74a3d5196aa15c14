internal import TesseraImageHeader
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraText

/// The words of pipeline files and of what is examined before a run.
enum PipelineWords {
  static let lists = [sources, files, checks]

  private static let sources = WordList(
    "Formats of sources", "`accept` in the pipeline, `format` in the catalog and in `probe`.",
    ImageFormat.allCases.map { format in
      let isAccepted = PipelineFile.defaultAccept.contains(format)
      return Word(
        format.rawValue,
        "\(format.displayName), \(format.mediaType): "
          + (!format.isDecoded
            ? "the size only" : isAccepted ? "decoded" : "decoded if accept names it"),
        format.isDecoded
          ? isAccepted ? nil : "name it in accept" : "offer the image in another format")
    })

  private static let files = WordList(
    "Formats of files",
    "`variants.format` and `upgrade.format` in the pipeline, `type` in the catalog.",
    OutputFormat.allCases.map { format in
      let parts =
        ["\(format.mediaType), sides of up to \(format.longestSide) pixels"]
        + (format.hasAlpha ? ["alpha"] : []) + (format.hasAnimation ? ["animations"] : [])
        + (format.hasQuality ? [] : ["without loss"])
        + (format.isForFewPrograms ? ["for apps of Apple's platforms"] : [])
      return Word(format.rawValue, parts.joined(separator: ", "))
    } + [
      Word(
        FormatChoice.source.rawValue,
        "the source's own format if it is one of these, but not heic; else webp for an animation, and compatible"
      ),
      Word(
        FormatChoice.compatible.rawValue, "png for images with alpha, jpeg for all others"),
    ])

  private static let checks = WordList(
    "What the doctor looks at",
    "`kind` in `tessera doctor`. Each shortfall has its own line that says how it is repaired.",
    HealthCheck.Kind.allCases.map { Word($0.rawValue, $0.meaning) })
}

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
