internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraFiles
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraState
internal import TesseraWire

/// What is remembered of bytes that there is nothing to show of. When two runs have come to the same, they are believed:
/// servers are asked whether they still have those bytes, in every run, and nobody fetches or decodes them again while
/// they have.
///
/// That holds for what the bytes and the pipeline decide. What may be otherwise the next time, like a crash or a lack of
/// memory, is forgotten.
extension ItemMemory {
  /// What was found out about an entry's source; nil where it is not known, was of another URL, or may be otherwise
  /// with the pipeline as it is now.
  func rejection(_ record: RejectionRecord?, for entry: ManifestEntry) -> RejectionRecord? {
    guard let record, record.settings == rejectionSettings, record.url == urlDigest(entry)
    else { return nil }
    return record
  }

  /// Why there is nothing to show of a source, where nobody need look again.
  func believedRejection(_ source: Source) -> RejectionRecord? {
    source.rejection.flatMap { $0.wasSeenTwice && !retriesFailed ? $0 : nil }
  }

  /// - Parameters:
  ///   - content: SHA-256 of the bytes, where all of them came.
  ///   - validators: the server's for those bytes.
  func remember(
    _ finding: ItemFinding?, of source: Source, for entry: ManifestEntry, content: String?,
    _ validators: Validators?
  ) async throws {
    // Neither the server nor the bytes could tell that they are the same.
    guard let finding, content != nil || validators != nil else { return }
    var record = RejectionRecord(
      url: urlDigest(entry), settings: rejectionSettings, kind: .refused, code: "", message: "",
      format: nil, width: nil, height: nil, content: content, etag: validators?.etag,
      lastModified: validators?.lastModified)
    switch finding {
    case .unreachable: return
    case .refused(let refusal):
      guard !refusal.isRetryable else { return }
      (record.code, record.message) = (refusal.code, refusal.message)
      record.format = refusal.picture?.format
      (record.width, record.height) = (refusal.picture?.size.width, refusal.picture?.size.height)
    case .undecodable(let failure, let format, let size):
      guard Self.lasting.contains(failure.code) else { return }
      record.kind = .undecodable
      (record.code, record.message) = (failure.code, failure.message)
      (record.format, record.width, record.height) = (format, size?.width, size?.height)
    }
    record.wasSeenTwice = source.rejection?.isLike(record) ?? false
    try await state.save(record, key: source.key)
  }

  /// What a decoder says of the bytes themselves.
  private static let lasting = Set(
    [TranscodeFailure.Code.decode, .tooManyPixels, .tooManyFrames, .tooManyScans].map(\.rawValue))

  private func urlDigest(_ entry: ManifestEntry) -> String {
    Digest.of(SourceURL.cacheKey(file.requestURL(for: entry)))
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
  var validators: Validators? { Validators(etag: etag, lastModified: lastModified) }

  /// Whether two looks came to the same: of the same bytes, as far as that can be told.
  fileprivate func isLike(_ other: RejectionRecord) -> Bool {
    guard kind == other.kind, code == other.code, content == other.content else { return false }
    return content != nil || (etag == other.etag && lastModified == other.lastModified)
  }

  fileprivate var size: Size? { width.flatMap { width in height.map { Size(width, $0) } } }
}
