internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraPlan
internal import TesseraState
internal import TesseraText
internal import TesseraWorkers

/// What earlier runs, and earlier items of this run, know of an item's source.
struct KnownSource: Sendable {
  /// The bytes, as they were last confirmed.
  var record: SourceRecord?
  /// What the decoder saw in these bytes, and the item's files of them.
  var content: ContentRecord?
  var filePlan: FilePlan?
  /// A header that was read after the bytes were confirmed: the bytes have changed since.
  var header: HeaderRecord?
  /// Why the last answer could not be shown, if the pipeline has not changed since.
  var rejection: RejectionRecord?
  /// Whether all files that the item needs are there and the pipeline accepts the content. A content
  /// that is no longer accepted is requested again and rejected as if for the first time.
  var isReady = false
  /// Whether all that the pipeline needs to know of the content is known. If not, it is decoded again, and is shown as it is
  /// if it can't be.
  var isExamined = true
  /// With `--retry-failed`, the status of the item in the last run; nil if that is not known or was for
  /// another URL.
  var lastStatus: CatalogImage.Status?

  /// Whether nothing has to be done with the bytes.
  var isFinished: Bool { isReady && isExamined }

  /// What can be shown; nil if the source was never decoded.
  var shown: (content: ContentRecord, filePlan: FilePlan)? {
    content.flatMap { content in filePlan.map { (content, $0) } }
  }
}

/// The last known size of a source: of its bytes, or of its header alone.
enum KnownSize: Sendable {
  case bytes(SourceRecord, ContentRecord, FilePlan, isReady: Bool)
  case header(HeaderRecord)

  /// Whichever was confirmed last.
  init?(_ source: KnownSource) {
    if let header = source.header { self = .header(header) } else { self.init(bytesOf: source) }
  }

  init?(bytesOf source: KnownSource) {
    guard let record = source.record, let (content, filePlan) = source.shown else { return nil }
    self = .bytes(record, content, filePlan, isReady: source.isReady)
  }

  var confirmation: Confirmation {
    switch self {
    case .bytes(let record, _, _, _): record.confirmation
    case .header(let record): record.confirmation
    }
  }

  var format: String {
    switch self {
    case .bytes(_, let content, _, _): content.format
    case .header(let record): record.format
    }
  }

  /// Of the source; nil if that is not known.
  var bytes: Int? {
    switch self {
    case .bytes(_, let content, _, _): content.bytes
    case .header(let record): record.bytes
    }
  }

  var facts: SourceFacts {
    switch self {
    case .bytes(_, let content, _, _): content.facts
    case .header(let record): record.facts
    }
  }

  /// Asks whether it has changed; nil if the server gave no validator.
  var condition: Condition? {
    switch self {
    case .bytes(let record, _, _, _): record.condition
    case .header(let record): record.condition
    }
  }

  /// Whether a full answer has the same image as before, although the server did not say "not
  /// modified". Versions are compared weakly (RFC 9110, section 8.8.3.2), because only the size
  /// matters here. Without a validator, an image of the same format and size counts as the same; a run
  /// that fetches it finds out.
  func isSame(as header: ImageHeader, _ response: FetchResponse) -> Bool {
    if let isSameVersion = sameVersion(response) { return isSameVersion }
    switch self {
    case .bytes(_, let content, _, _): return content.isLike(header)
    case .header: return false
    }
  }

  func isSameVersion(as response: FetchResponse) -> Bool { sameVersion(response) ?? false }

  /// Nil if there is nothing to compare: validators of two places say nothing about each other.
  private func sameVersion(_ response: FetchResponse) -> Bool? {
    guard Identifier(condition?.place) == Identifier(response.place) else { return nil }
    let (one, other) = (condition?.validators, response.validators)
    if let one = one?.etag, let other = other?.etag { return one.weakTag == other.weakTag }
    if let one = one?.lastModified, let other = other?.lastModified { return one == other }
    return nil
  }
}

extension Confirmation {
  fileprivate func condition(at place: String?) -> Condition? {
    Condition(Validators(etag: etag, lastModified: lastModified), at: place)
  }
}

// What asks whether a record still applies; nil if the server gave no validator.

extension SourceRecord {
  var condition: Condition? { confirmation.condition(at: url) }
}

extension HeaderRecord {
  var condition: Condition? { confirmation.condition(at: place) }
}

extension RejectionRecord {
  /// Only the ETag counts: see `RejectionPolicy.change`.
  var condition: Condition? { Condition(Validators(etag: etag, lastModified: nil), at: place) }
}

extension ContentRecord {
  /// Whether a header may be this content's. Header is compared with header if it was stored, because
  /// the decoder may have seen another size.
  fileprivate func isLike(_ header: ImageHeader) -> Bool {
    guard format == header.format.rawValue else { return false }
    return pixels.map { $0 == Size(header.pixelWidth, header.pixelHeight) }
      ?? (facts.size == Size(header.width, header.height))
  }
}

extension String {
  /// An ETag without the mark of a weak one.
  fileprivate var weakTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
