internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWire

/// What is remembered of bytes that there is nothing to show of. When two runs have come to the same, they are believed
/// for a week: servers are asked whether they still have those bytes, in every run, and nobody fetches or decodes them
/// again while they have.
///
/// That holds for what the bytes and the pipeline decide. What may be otherwise the next time, like a crash or a lack of
/// memory, is forgotten where it can be told, and the week is for where it can't.
extension ItemMemory {
  /// What was found out about an entry's URL; nil where it is not known, or may be otherwise with the pipeline as it is
  /// now.
  func rejection(_ record: RejectionRecord?) -> RejectionRecord? {
    record?.settings == rejectionSettings ? record : nil
  }

  /// Why there is nothing to show of a source, where nobody need look again.
  func believedRejection(_ source: Source) -> RejectionRecord? {
    guard let record = source.rejection, record.wasSeenTwice, !retriesFailed,
      (0...Self.believedFor).contains(Host.now - record.seen)
    else { return nil }
    return record
  }

  /// In seconds.
  private static let believedFor = 7 * 86_400.0

  /// - Parameter content: SHA-256 of the bytes, where all of them came.
  func remember(
    _ finding: ItemFinding?, of source: Source, content: String?, _ response: FetchResponse
  ) async throws {
    guard let finding, var record = record(finding) else { return }
    record.content = content
    record.etag = response.validators?.etag
    record.place = Self.place(of: response)
    // Neither the server nor the bytes could tell that they are the same: by dates alone an older picture that is put
    // in a page's place would be no newer one (RFC 9110, section 13.1.3).
    guard record.content != nil || record.etag != nil else { return }
    // Known bytes were not looked at anew.
    if let believed = believedRejection(source), content != nil, believed.content == content {
      record.seen = believed.seen
    }
    record.wasSeenTwice = source.rejection?.isLike(record) ?? false
    try await state.save(record, key: source.url)
  }

  /// Nil where another look may come to something else.
  private func record(_ finding: ItemFinding) -> RejectionRecord? {
    func record(
      _ kind: RejectionRecord.Kind, _ code: String, _ message: String, _ format: String?,
      _ size: Size?
    ) -> RejectionRecord {
      var record = RejectionRecord(
        settings: rejectionSettings, kind: kind, code: code, message: message, content: nil,
        etag: nil, place: "", seen: Host.now)
      (record.format, record.width, record.height) = (format, size?.width, size?.height)
      return record
    }
    switch finding {
    case .unreachable: return nil
    case .refused(let refusal):
      guard !refusal.isRetryable else { return nil }
      return record(
        .refused, refusal.code, refusal.message, refusal.picture?.format, refusal.picture?.size)
    case .undecodable(let failure, let format, let size):
      guard Self.lasting.contains(failure.code) else { return nil }
      return record(.undecodable, failure.code, failure.message, format, size)
    }
  }

  /// What a decoder says of the bytes themselves.
  private static let lasting = Set(
    [TranscodeFailure.Code.decode, .tooManyPixels, .tooManyFrames, .tooManyScans].map(\.rawValue))

  /// Where the bytes of an answer are: a redirect may lead elsewhere the next time, and two places may use one ETag.
  static func place(of response: FetchResponse) -> String {
    SHA256.of(SourceURL.cacheKey(response.url))
  }
}

extension ItemFinding {
  init(_ record: RejectionRecord) {
    switch record.kind {
    case .undecodable:
      self = .undecodable(
        .init(code: record.code, message: record.message, retryable: false),
        format: record.format, size: record.size)
    case .refused:
      let picture = record.format.flatMap { format in
        record.size.map { Intake.Picture(format: format, size: $0) }
      }
      self = .refused(
        Intake.Refusal(code: record.code, message: record.message, picture: picture))
    }
  }
}

extension RejectionRecord {
  /// Whether two looks came to the same: of the same bytes, as far as that can be told.
  fileprivate func isLike(_ other: RejectionRecord) -> Bool {
    kind == other.kind && code == other.code && content == other.content
      && (content != nil || (etag == other.etag && place == other.place))
  }

  fileprivate var size: Size? { width.flatMap { width in height.map { Size(width, $0) } } }
}
