internal import TesseraJSON

/// A decision about an item, with what it was based on. An item's reasons, in the order in which they
/// were decided, are stored with it; `tessera why` puts them into words.
///
/// Moments are seconds since 1970.
package enum Reason: Sendable, Equatable {
  // Why a request was, or was not, needed.
  case unknownSource
  case rejectedLastTime
  case fresh(until: Double)
  case neverRevalidated
  case checkedInThisRun
  /// With `--retry-failed`, an item without a failure.
  case onlyFailedRequested
  case expired(checked: Double, freshUntil: Double)
  case noLifetime(checked: Double)
  case alwaysRevalidated
  /// With `--refresh`.
  case refreshed
  case filesMissing(Int, of: Int)
  case noLongerAccepted
  /// A layout run saw a header that does not match the known bytes.
  case headerDiffers

  // What came of it.
  case notModified
  case fetchedFirst
  case fetchedAgain
  case sameBytes
  case sameRejectedBytes
  case changed(oldETag: String?, newETag: String?)
  case keptCopy
  case sharedResult
  case knownBytes
  case rejectedBefore
  /// A worker failed on these bytes in runs before, and may not the next time.
  case backOff(failures: Int, until: Double)
  case decoded(made: Int, reused: Int)
  case failed(code: String, message: String)

  // Layout runs.
  case layoutRun
  case knownSizeFresh
  case sameHeader
  case headerRead

  /// Words that a version with schema 8 or earlier stored.
  case text(String)
}

extension Reason {
  /// Reasons as they are stored: a JSON array of arrays, each with a name and its arguments.
  package static func stored(_ reasons: [Reason]) -> String {
    var writer = JSONWriter()
    writer.array { list in
      for reason in reasons {
        let (name, arguments) = reason.parts
        list.array { parts in
          parts.value(name)
          for argument in arguments { parts.value(argument) }
        }
      }
    }
    return writer.text
  }

  /// The reasons in a stored text. Those that this version does not know are left out.
  package static func list(stored text: String) -> [Reason] {
    guard let list = try? JSONParser.parse(Array(text.utf8)).arrayValue else { return [] }
    return list.compactMap { element in
      guard let parts = element.arrayValue, let name = parts.first?.stringValue else { return nil }
      return Reason(name, Array(parts.dropFirst()))
    }
  }

  /// Reasons without arguments, by the names that they are stored under.
  private static let plain: [(name: String, reason: Reason)] = [
    ("unknown-source", .unknownSource), ("rejected-last-time", .rejectedLastTime),
    ("never-revalidated", .neverRevalidated), ("checked-in-this-run", .checkedInThisRun),
    ("only-failed-requested", .onlyFailedRequested), ("always-revalidated", .alwaysRevalidated),
    ("refreshed", .refreshed),
    ("no-longer-accepted", .noLongerAccepted), ("header-differs", .headerDiffers),
    ("not-modified", .notModified), ("fetched-first", .fetchedFirst),
    ("fetched-again", .fetchedAgain), ("same-bytes", .sameBytes),
    ("same-rejected-bytes", .sameRejectedBytes), ("kept-copy", .keptCopy),
    ("shared-result", .sharedResult), ("known-bytes", .knownBytes),
    ("rejected-before", .rejectedBefore), ("layout-run", .layoutRun),
    ("known-size-fresh", .knownSizeFresh), ("same-header", .sameHeader),
    ("header-read", .headerRead),
  ]

  /// One of each that is decided today, in the order in which it is, with values to show it by.
  package static let samples: [Reason] = [
    .unknownSource, .rejectedLastTime,
    .expired(checked: sampleMoment, freshUntil: sampleMoment + 3_600),
    .noLifetime(checked: sampleMoment), .alwaysRevalidated, .refreshed, .filesMissing(2, of: 6),
    .noLongerAccepted, .headerDiffers, .fresh(until: sampleMoment + 3_600), .neverRevalidated,
    .checkedInThisRun, .onlyFailedRequested, .notModified, .fetchedFirst, .fetchedAgain, .sameBytes,
    .sameRejectedBytes, .changed(oldETag: "\"a1\"", newETag: "\"a2\""), .keptCopy, .sharedResult,
    .knownBytes, .rejectedBefore, .backOff(failures: 2, until: sampleMoment + 172_800),
    .decoded(made: 5, reused: 1),
    .failed(code: "http-status", message: "the server answered 404 Not Found"), .layoutRun,
    .knownSizeFresh, .sameHeader, .headerRead,
  ]

  /// 2026-11-20T03:00:07Z.
  private static let sampleMoment = 1_795_143_607.0

  private var parts: (name: String, arguments: [JSONValue]) {
    switch self {
    case .fresh(let until): ("fresh", [.seconds(until)])
    case .expired(let checked, let until): ("expired", [.seconds(checked), .seconds(until)])
    case .noLifetime(let checked): ("no-lifetime", [.seconds(checked)])
    case .filesMissing(let missing, let all): ("files-missing", [.int(missing), .int(all)])
    case .changed(let old, let new): ("changed", [.optional(old), .optional(new)])
    case .backOff(let failures, let until): ("back-off", [.int(failures), .seconds(until)])
    case .decoded(let made, let reused): ("decoded", [.int(made), .int(reused)])
    case .failed(let code, let message): ("failed", [.string(code), .string(message)])
    case .text(let text): ("text", [.string(text)])
    default: (Self.plain.first { $0.reason == self }?.name ?? "", [])
    }
  }

  private init?(_ name: String, _ arguments: [JSONValue]) {
    func argument(_ index: Int) -> JSONValue? {
      arguments.indices.contains(index) ? arguments[index] : nil
    }
    let (first, second) = (argument(0), argument(1))
    switch name {
    case "fresh": self = .fresh(until: first?.doubleValue ?? 0)
    case "expired":
      self = .expired(checked: first?.doubleValue ?? 0, freshUntil: second?.doubleValue ?? 0)
    case "no-lifetime": self = .noLifetime(checked: first?.doubleValue ?? 0)
    case "files-missing": self = .filesMissing(first?.intValue ?? 0, of: second?.intValue ?? 0)
    case "back-off":
      self = .backOff(failures: first?.intValue ?? 0, until: second?.doubleValue ?? 0)
    case "changed": self = .changed(oldETag: first?.stringValue, newETag: second?.stringValue)
    case "decoded": self = .decoded(made: first?.intValue ?? 0, reused: second?.intValue ?? 0)
    case "failed":
      self = .failed(code: first?.stringValue ?? "", message: second?.stringValue ?? "")
    case "text": self = .text(first?.stringValue ?? "")
    default:
      guard let reason = Self.plain.first(where: { $0.name == name })?.reason else { return nil }
      self = reason
    }
  }
}

extension JSONValue {
  /// Whole seconds: `why` shows no more.
  fileprivate static func seconds(_ moment: Double) -> JSONValue {
    // `Int` traps on a number that it cannot hold, and a damaged record may contain any. 9e15 is
    // below 2^53, up to which a double is exact.
    .int(Int(max(-9e15, min(9e15, moment))))
  }

  fileprivate static func optional(_ text: String?) -> JSONValue {
    text.map { .string($0) } ?? .null
  }
}
