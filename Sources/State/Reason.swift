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
}

extension Reason {
  /// Reasons as they are stored: a JSON array without its brackets, of the number of each, or an array of its number and its
  /// arguments.
  package static func stored(_ reasons: [Reason]) -> String {
    var writer = JSONWriter()
    writer.array { list in
      for reason in reasons {
        guard let (kind, arguments) = reason.parts else {
          list.value(plain.firstIndex(of: reason) ?? -1)
          continue
        }
        list.array { parts in
          parts.value(kind.rawValue)
          for argument in arguments { parts.value(argument) }
        }
      }
    }
    return String(writer.text.dropFirst().dropLast())
  }

  /// The reasons in a stored text. Those that this version does not know are left out.
  package static func list(stored text: String) -> [Reason] {
    guard let list = try? JSONParser.parse(Array("[\(text)]".utf8)).arrayValue else { return [] }
    return list.compactMap { element in
      if let number = element.intValue {
        return plain.indices.contains(number) ? plain[number] : nil
      }
      guard let parts = element.arrayValue,
        let kind = parts.first?.intValue.flatMap(Kind.init(rawValue:))
      else { return nil }
      return Reason(kind, Array(parts.dropFirst()))
    }
  }

  /// Those without arguments. They are stored as their places, so a new one is added at the end.
  private static let plain: [Reason] = [
    .unknownSource, .fetchedFirst, .knownBytes, .notModified, .neverRevalidated, .sharedResult,
    .alwaysRevalidated, .fetchedAgain, .sameBytes, .rejectedLastTime, .checkedInThisRun,
    .onlyFailedRequested, .refreshed, .noLongerAccepted, .headerDiffers, .sameRejectedBytes,
    .keptCopy, .rejectedBefore, .layoutRun, .knownSizeFresh, .sameHeader, .headerRead,
  ]

  /// Those with arguments. The numbers are stored.
  private enum Kind: Int {
    case fresh = 0
    case expired, noLifetime, filesMissing, changed, backOff, decoded, failed
  }

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

  /// Nil without arguments.
  private var parts: (kind: Kind, arguments: [JSONValue])? {
    switch self {
    case .fresh(let until): (.fresh, [.seconds(until)])
    case .expired(let checked, let until): (.expired, [.seconds(checked), .seconds(until)])
    case .noLifetime(let checked): (.noLifetime, [.seconds(checked)])
    case .filesMissing(let missing, let all): (.filesMissing, [.int(missing), .int(all)])
    case .changed(let old, let new): (.changed, [.optional(old), .optional(new)])
    case .backOff(let failures, let until): (.backOff, [.int(failures), .seconds(until)])
    case .decoded(let made, let reused): (.decoded, [.int(made), .int(reused)])
    case .failed(let code, let message): (.failed, [.string(code), .string(message)])
    default: nil
    }
  }

  private init(_ kind: Kind, _ arguments: [JSONValue]) {
    func argument(_ index: Int) -> JSONValue? {
      arguments.indices.contains(index) ? arguments[index] : nil
    }
    let (first, second) = (argument(0), argument(1))
    switch kind {
    case .fresh: self = .fresh(until: first?.doubleValue ?? 0)
    case .expired:
      self = .expired(checked: first?.doubleValue ?? 0, freshUntil: second?.doubleValue ?? 0)
    case .noLifetime: self = .noLifetime(checked: first?.doubleValue ?? 0)
    case .filesMissing: self = .filesMissing(first?.intValue ?? 0, of: second?.intValue ?? 0)
    case .backOff: self = .backOff(failures: first?.intValue ?? 0, until: second?.doubleValue ?? 0)
    case .changed: self = .changed(oldETag: first?.stringValue, newETag: second?.stringValue)
    case .decoded: self = .decoded(made: first?.intValue ?? 0, reused: second?.intValue ?? 0)
    case .failed: self = .failed(code: first?.stringValue ?? "", message: second?.stringValue ?? "")
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
