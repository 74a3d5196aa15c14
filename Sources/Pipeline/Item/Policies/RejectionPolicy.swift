internal import TesseraJSON
internal import TesseraNet
internal import TesseraPlan
internal import TesseraState
internal import TesseraText
internal import TesseraWorkers

/// What is remembered of sources that cannot be shown. Pure: moments are given to it, in seconds since
/// 1970.
///
/// While a result is believed, servers are asked in every run whether they still have those bytes, and
/// the bytes are neither fetched nor decoded again while they have. What bytes and pipeline decide is
/// believed for a week if two runs came to the same result. What may differ the next time, like a crash
/// or a lack of memory, is believed for a day, and twice as long after each repetition: one image that
/// takes all of `limits.time` must not take it in every run.
struct RejectionPolicy: Sendable {
  /// A digest of everything but the bytes that decides whether a source can be shown.
  let settings: String
  /// Whether only items that failed, are stale or are new are requested (`--retry-failed`): they are
  /// examined again.
  let onlyFailed: Bool

  private static let day = 86_400.0
  private static let week = 7 * day

  /// The rejection, if it was made with the pipeline as it is now.
  func current(_ record: RejectionRecord?) -> RejectionRecord? {
    record?.settings == settings ? record : nil
  }

  /// The rejection, if the source need not be examined again.
  func believed(_ record: RejectionRecord?, now: Double) -> RejectionRecord? {
    // From 0 on: if the clock was set back, the record is from the future and not believed.
    guard let record, !onlyFailed, let time = Self.time(record),
      (0...time).contains(now - record.seen)
    else { return nil }
    return record
  }

  /// How long a rejection is believed, in seconds; nil if it is not.
  private static func time(_ record: RejectionRecord) -> Double? {
    if mayPass(record) { return min(week, day * Double(1 << max(0, min(3, record.repeats)))) }
    return record.repeats > 0 ? week : nil
  }

  /// Why bytes are not decoded, although the decoder may succeed the next time; nil if it may not.
  static func backOff(_ record: RejectionRecord) -> Reason? {
    guard mayPass(record), let time = time(record) else { return nil }
    return .backOff(failures: record.repeats + 1, until: record.seen + time)
  }

  /// What to remember of a failure; nil for nothing.
  ///
  /// - Parameters:
  ///   - content: SHA-256 of the bytes, if all of them arrived.
  ///   - response: nil if the bytes are a kept copy.
  ///   - previous: what was remembered before.
  func change(
    after failure: ItemFailure, content: String?, _ response: FetchResponse?,
    previous: RejectionRecord?, now: Double
  ) -> StateStore.RejectionChange? {
    guard var record = record(of: failure, seen: now) else { return nil }
    record.content = content
    record.etag = response?.validators?.etag
    record.place = response?.place ?? ""
    // Otherwise neither the server nor the bytes could show that they are the same. Dates are not
    // enough: an older image that replaces an error page is not newer than the page (RFC 9110,
    // section 13.1.3).
    guard record.content != nil || record.etag != nil else { return nil }
    if let believed = believed(previous, now: now), content != nil, believed.content == content {
      // Known bytes were recognized and not examined again, so their time goes on.
      (record.seen, record.repeats) = (believed.seen, believed.repeats)
    } else if let previous, Self.agree(previous, record) {
      // Two runs must agree: a body that was cut off, of which no length is known, looks like a
      // broken image with the validators of the good one, which would be rejected for a week.
      record.repeats = previous.repeats + 1
    }
    return .save(record)
  }

  /// Whether two examinations had the same result for the same bytes, as far as that can be seen.
  private static func agree(_ one: RejectionRecord, _ other: RejectionRecord) -> Bool {
    // Bytes that crash a worker may also be too slow for it.
    (one.code == other.code || (mayPass(one) && mayPass(other))) && one.kind == other.kind
      && one.content == other.content
      && (one.content != nil
        || (one.etag == other.etag && Identifier(one.place) == Identifier(other.place)))
  }

  // MARK: Failures as records

  /// Failures that the bytes themselves cause.
  private static let lasting: [TranscodeFailure.Code] = [
    .decode, .tooManyPixels, .tooManyFrames, .tooManyScans,
  ]

  /// Failures that the bytes cause together with the machine. What only the machine causes, like a
  /// full disk, is not among them.
  private static let passing: [TranscodeFailure.Code] = [
    .workerCrashed, .workerTimeout, .outOfMemory, .workerProtocol,
  ]

  private static func mayPass(_ record: RejectionRecord) -> Bool {
    record.kind == .undecodable
      && (record.code == unreachable || passing.contains { $0.rawValue == record.code })
  }

  /// The code of an upgrade whose bytes could not be had.
  private static let unreachable = "unreachable"

  /// What to remember of an image of which no files of a better format could be made; nil for nothing. Also that its bytes
  /// could not be had: the image has its other files, so the bytes are requested again another day.
  func failedUpgrade(
    _ failure: ItemFailure, content: String, previous: RejectionRecord?, now: Double
  ) -> RejectionRecord? {
    guard case .unreachable(let error) = failure else {
      let change = change(
        after: failure, content: content, nil, previous: previous, now: now)
      return if case .save(let record)? = change { record } else { nil }
    }
    // The end of the run's time says nothing about a server.
    if error.code == .runDeadline { return nil }
    var record = RejectionRecord(
      settings: settings, kind: .undecodable, code: Self.unreachable, details: "[]",
      content: content, etag: nil, place: "", seen: now)
    record.repeats = previous.map { $0.repeats + 1 } ?? 0
    return record
  }

  /// Nil if the bytes are not a cause.
  private func record(of failure: ItemFailure, seen: Double) -> RejectionRecord? {
    let (kind, code, details, image): (RejectionRecord.Kind, String, [JSONValue], ImageFacts?)
    switch failure {
    case .unknownSlot, .unreachable: return nil
    case .rejected(let rejection):
      if rejection.isRetryable { return nil }
      (kind, code, details, image) = (.rejected, rejection.code, rejection.stored, rejection.image)
    case .undecodable(let failure, let facts):
      guard (Self.lasting + Self.passing).contains(failure.code) else { return nil }
      (kind, code, image) = (.undecodable, failure.code.rawValue, facts)
      details = [.string("worker"), .string(failure.message)]
    }
    var writer = JSONWriter()
    writer.array { list in for detail in details { list.value(detail) } }
    var record = RejectionRecord(
      settings: settings, kind: kind, code: code, details: writer.text, content: nil, etag: nil,
      place: "", seen: seen)
    record.format = image?.format
    record.width = image?.size.width
    record.height = image?.size.height
    return record
  }
}

extension ItemFailure {
  init(_ record: RejectionRecord) {
    let details = (try? JSONParser.parse(Array(record.details.utf8)).arrayValue) ?? []
    let image = record.format.flatMap { format in
      record.width.flatMap { width in
        record.height.map { ImageFacts(format: format, size: Size(width, $0)) }
      }
    }
    switch record.kind {
    case .undecodable:
      let code = TranscodeFailure.Code(rawValue: record.code) ?? .decode
      let message = details.dropFirst().first?.stringValue ?? ""
      self = .undecodable(TranscodeFailure(code, message), image)
    case .rejected: self = .rejected(Rejection(record.code, details, image))
    }
  }
}

extension Rejection {
  /// A name and the arguments that the record's other columns do not have.
  fileprivate var stored: [JSONValue] {
    switch self {
    case .header(_, let reason): [.string("header"), .string(reason)]
    case .notAnImage: [.string("not-image")]
    case .unsupportedFormat(_, let accepted):
      [.string("format")] + accepted.map { .string($0) }
    case .sideTooLong: [.string("side")]
    case .tooManyPixels(_, let limit): [.string("pixels"), .int(limit)]
    case .tooLarge(_, let limit): [.string("bytes"), .int(limit)]
    case .stored(_, let sentence, _): [.string("text"), .string(sentence)]
    }
  }

  fileprivate init(_ code: String, _ details: [JSONValue], _ image: ImageFacts?) {
    let arguments = details.dropFirst()
    switch (details.first?.stringValue, image) {
    case ("header", _):
      self = .header(code: code, reason: arguments.first?.stringValue ?? "")
    case ("not-image", _): self = .notAnImage
    case ("format", let image?):
      self = .unsupportedFormat(image, accepted: arguments.compactMap(\.stringValue))
    case ("side", let image?): self = .sideTooLong(image)
    case ("pixels", let image?):
      self = .tooManyPixels(image, limit: arguments.first?.intValue ?? 0)
    case ("bytes", let image?): self = .tooLarge(image, limit: arguments.first?.intValue ?? 0)
    default:
      self = .stored(code: code, sentence: arguments.first?.stringValue ?? "", image)
    }
  }
}
