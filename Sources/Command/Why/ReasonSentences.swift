internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// The one place that puts recorded decisions into words.
extension Reason {
  /// A clause without its full stop.
  var sentence: String { sentence(ofFile: false) }

  /// - Parameter isFile: whether the source is a file, which has no server.
  func sentence(ofFile isFile: Bool) -> String {
    switch self {
    case .expired where isFile, .noLifetime where isFile:
      "requested: each run looks whether a file has changed"
    case .rejectedLastTime where isFile: "requested: the file was unusable the last time"
    case .notModified where isFile: "the file has not changed"
    case .changed where isFile: "fetched: it has changed"
    case .unknownSource, .rejectedLastTime, .expired, .noLifetime, .alwaysRevalidated, .refreshed,
      .filesMissing, .noLongerAccepted, .headerDiffers:
      "requested: \(whyRequested)"
    case .fresh, .neverRevalidated, .checkedInThisRun, .onlyFailedRequested:
      "nothing to do: \(whyReused)"
    case .layoutRun, .knownSizeFresh, .sameHeader, .headerRead: layoutSentence
    default: resultSentence
    }
  }

  private var whyRequested: String {
    switch self {
    case .unknownSource: "the source was not known"
    case .rejectedLastTime: "the previous response was unusable"
    case .expired(let checked, let end):
      "the response of \(Host.timestamp(checked)) was fresh until \(Host.timestamp(end))"
    case .noLifetime(let checked):
      "the server did not say how long its response of \(Host.timestamp(checked)) is fresh"
    case .alwaysRevalidated: "every source is (revalidate: always)"
    case .refreshed: "this image was named to be fetched and made again (--refresh)"
    case .filesMissing(let missing, let all):
      all == 1 ? "its file is missing" : "\(missing) of its \(all) files are missing"
    case .noLongerAccepted: "the pipeline no longer accepts what it accepted before"
    case .headerDiffers: "a layout run saw another image there"
    default: ""
    }
  }

  private var whyReused: String {
    switch self {
    case .fresh(let end): "the server's response is fresh until \(Host.timestamp(end))"
    case .neverRevalidated: "a known source is never requested again (revalidate: never)"
    case .checkedInThisRun: "another item of this run requested the same source"
    case .onlyFailedRequested: "only failed, stale and new items are requested (--retry-failed)"
    default: ""
    }
  }

  private var resultSentence: String {
    switch self {
    case .notModified: "the server answered that it has not changed"
    case .fetchedFirst: "fetched for the first time"
    case .fetchedAgain: "fetched again"
    case .sameBytes: "fetched: the same bytes as before"
    case .sameRejectedBytes: "fetched: the same unusable bytes as last time"
    case .changed(let old?, let new?) where old != new:
      "fetched: it has changed (ETag \(old) is now \(new))"
    case .changed: "fetched: it has changed"
    case .keptCopy: "its cached copy was used"
    case .sharedResult: "another item of this run requested the same source"
    case .knownBytes: "these bytes are known: all files were reused"
    case .rejectedBefore: "these bytes could not be decoded before"
    case .backOff(let failures, let until):
      "not decoded: a worker failed on these bytes "
        + (failures == 1 ? "once" : "\(failures) times in a row")
        + "; they are retried after \(Host.timestamp(until))"
    case .decoded(let made, let reused):
      "decoded: \(made) \(made == 1 ? "file" : "files") made, \(reused) reused"
    case .failed(let code, let message): "failed: \(message) (\(code))"
    default: ""
    }
  }

  private var layoutSentence: String {
    switch self {
    case .layoutRun: "a layout run, which learns sizes only"
    case .knownSizeFresh: "nothing to do: the known size is fresh"
    case .sameHeader: "its first bytes match what is known"
    case .headerRead: "its first bytes gave its size"
    default: ""
    }
  }
}

extension QualityRecord {
  /// What was found, and for what: a clause without its full stop.
  var sentence: String {
    let tries = found.encodes == 1 ? "1 attempt" : "\(found.encodes) attempts"
    let floor =
      found.isGraphic ? "; flat areas or text: the default, if the range has it, or above" : ""
    let automatic = AutomaticQuality(inRecipe: recipe)
    let isMissed =
      found.quality < 100 && found.quality == automatic?.range.upperBound
      && found.score < Double(automatic?.target ?? 0) - 1
    let miss = isMissed ? "; a higher one is outside quality-range" : ""
    return
      "a search found quality \(found.quality) in \(tries): SSIMULACRA 2.1 is \(Self.rounded(found.score)), and "
      + "\(Self.rounded(found.worstTile)) in the worst tile (\(recipe))\(floor)\(miss)"
  }

  /// With one decimal.
  private static func rounded(_ score: Double) -> String {
    let tenths = Int((score * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}
