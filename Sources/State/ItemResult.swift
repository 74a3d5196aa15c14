internal import TesseraBytes
internal import TesseraJSON
internal import TesseraText

/// What is known of an item by the last run that looked at it, without its line of the catalog.
package struct ItemState: Sendable {
  /// In its line.
  package var status: String
  /// Of the line, and of the names of its files; nil without any.
  var sum: Int
  var files: String?
  package var source: String
  /// Nil if it is the source's.
  var request: String?
  var placeholder: String?
  /// The run since which it has an error; nil without one.
  var failing: Int?

  static let columns = "\(status), sum, source, request, placeholder, files, failing"
  /// Most often `ok`: SQL.
  static let status = "coalesce(status, 'ok')"
  static let width = 7

  init(
    status: String, sum: Int, files: String?, source: String, request: String?,
    placeholder: String?
  ) {
    (self.status, self.sum, self.files) = (status, sum, files)
    (self.source, self.request, self.placeholder) = (source, request, placeholder)
  }

  /// A row that begins with ``columns``; nil for an item without a result.
  init?(_ row: Statement.Row) {
    guard !row.isNull(1) else { return nil }
    self.init(
      status: row.text(0), sum: row.int(1), files: row.optionalKey(5), source: row.key(2),
      request: row.optionalKey(3), placeholder: row.optionalKey(4))
    failing = row.isNull(6) ? nil : row.int(6)
  }

  /// What the item has, besides the bytes of its source.
  var possessions: Set<Possession> {
    var names: Set<Possession> = [
      Possession(.sources, source), Possession(.rejections, request ?? source),
    ]
    if let files { names.insert(Possession(.files, files)) }
    if let placeholder { names.insert(Possession(.placeholders, placeholder)) }
    return names
  }
}

/// Something that an item has in an output: files, or a row of a table of the state.
package struct Possession: Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    case files, sources, rejections, contents, placeholders
  }

  package var kind: Kind
  /// What the names of files begin with, or a key.
  package var name: String

  init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

  /// As it is stored.
  var values: [Statement.Value] { [.text(kind.rawValue), .key(name)] }

  /// A row that begins with such values; nil if it has no such kind.
  init?(_ row: Statement.Row) {
    guard let kind = Kind(rawValue: row.text(0)) else { return nil }
    self.init(kind, row.key(1))
  }
}

/// What a run decided about an item.
package struct ItemResult: Sendable {
  package var id: String
  /// The item's line of the catalog. It is not stored.
  package var line: String
  /// The status in that line.
  package var status: String
  package var reasons: [Reason]
  /// Nil if no later run may reuse the line.
  package var inputs: LineInputs?
  /// The key of the placeholder that the line shows, or may show in a later run.
  package var placeholder: String?
  /// What the names of its files begin with; nil without any.
  package var files: String?
  /// The host of the URL that the line shows; only of an item that failed or is stale.
  package var host: String?
  /// What it says of an error of the image.
  package var failure = Failure.none

  package enum Failure: Sendable {
    case none
    /// Nothing: the time was over, or no files were made. An error that is known stays known.
    case unknown
    case seen
  }

  /// Whether the source is gone, as ``StateStore/lostSince(_:now:)`` has noted.
  package var isLost = false

  package init(
    id: String, line: String, status: String, reasons: [Reason], inputs: LineInputs? = nil,
    placeholder: String? = nil, files: String? = nil, host: String? = nil
  ) {
    (self.id, self.line, self.status, self.reasons) = (id, line, status, reasons)
    (self.inputs, self.placeholder, self.files, self.host) = (inputs, placeholder, files, host)
  }
}

/// What shaped an item's line of the catalog besides the item: a later run takes the line from the last catalog if all of it is
/// unchanged.
package struct LineInputs: Sendable {
  /// A digest of everything in the pipeline that shapes the line.
  package var settings: String
  /// A digest of everything that the manifest says about the item.
  package var entry: String
  /// The key of the source.
  package var source: String

  package init(settings: String, entry: String, source: String) {
    (self.settings, self.entry, self.source) = (settings, entry, source)
  }

  /// What is stored of a line: 32 bits. The bytes of its chunk have a sum of their own.
  package static func sum(of line: some Sequence<UInt8>) -> Int {
    Int(Int32(bitPattern: CRC32.of(Array(line))))
  }

  /// What a line is recognized by: its sum, and what it was made of.
  ///
  /// - Parameter source: as it is known.
  package func mark(_ id: String, sum: Int, _ source: SourceRecord) -> Int {
    Self.mark(id, sum: sum, settings: settings, entry: Self.short(entry), source)
  }

  static func mark(
    _ id: String, sum: Int, settings: String, entry: Int, _ source: SourceRecord
  ) -> Int {
    RecordMark.of(
      id,
      [
        .int(sum), .key(settings), .int(entry), .key(source.content), .optional(source.url),
        .optional(source.robots), .optional(source.confirmation.etag),
        .optional(source.confirmation.lastModified),
      ])
  }

  /// What is stored of a digest that only tells two lines of one manifest apart.
  static func short(_ entry: String) -> Int { RecordMark.of(entry, []) }
}

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
