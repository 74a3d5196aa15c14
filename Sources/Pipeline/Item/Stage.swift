internal import TesseraFetch
internal import TesseraPlan
internal import TesseraState
internal import TesseraWire
internal import TesseraWorkers

/// How far an item has come: each stage has what is known there, and nothing that comes later. A step
/// takes what its stage has and returns the next one.
///
/// What goes wrong with the item is an outcome; only what would hit every item alike (no disk space, no
/// workers) is thrown.
///
/// It is indirect, because a value of this size would be kept for every suspended step of a thousand
/// items.
indirect enum Stage: Sendable {
  /// It was read from the manifest, with what was known of it then.
  case read(LineReuse.Lookup?)
  /// Its line of an earlier run applies if the server confirms the source.
  case line(LineReuse.Verdict)
  /// The line may not apply after this answer. What is known of the source has to be looked up.
  case doubted(LineReuse.Verdict, Answer)
  case known(Known)
  case asking(Known, Question)
  case answered(Known, Question, Answer)
  /// - seen: what the decoder saw, if that differs from the header.
  case received(Known, SourceBytes, seen: SourceFacts?)
  case planned(Known, SourceBytes, seen: SourceFacts?, FilePlan)
  case made(Known, SourceBytes, FilePlan, MadeFiles)
  /// All of its files are there.
  case complete(Known, SourceBytes, ContentRecord, FilePlan)

  // The ends.

  /// The server has confirmed the source of its line.
  case confirmed(LineReuse.Verdict)
  case done(KnownSource, Outcome)
}

/// What earlier runs, and earlier items of this run, know of an item's source, and what follows for its
/// request, at one moment.
final class Known: Sendable {
  let source: KnownSource
  let freshness: FreshnessPolicy.Verdict
  /// In seconds since 1970.
  let now: Double

  init(_ source: KnownSource, _ policy: FreshnessPolicy, now: Double) {
    self.source = source
    freshness = policy.verdict(source, now: now)
    self.now = now
  }
}

/// What a request asks. Without a condition, the source has to be sent, changed or not.
struct Question: Sendable {
  var condition: Condition?
  /// The rejection that a "not modified" would confirm.
  var rejection: RejectionRecord?
}

/// What the server answered, after all attempts.
enum Answer: Sendable {
  case failed(FetchError)
  case notModified(FetchResponse)
  case refused(Refusal, FetchResponse)
  case arrived(SourceBytes)
}

/// A source's bytes in the spool.
struct SourceBytes: Sendable {
  var place: JobSource.Bytes
  /// How many there are; nil if that is not known.
  var count: Int?
  /// SHA-256 of the bytes, in hexadecimal.
  var digest: String
  /// What the header says; of a copy, also what the decoder saw.
  var content: ContentRecord
  /// The answer that they came with; nil if they are a kept copy, which says nothing about what the
  /// server has now.
  var response: FetchResponse?
}

/// What became of an item.
enum Outcome: Sendable {
  /// All of its files are there.
  case shown(ContentRecord, FilePlan)
  /// Its size is known, and its files are not made: a layout run.
  case pending(KnownSize)
  /// - isRemembered: whether an earlier run came to this failure.
  case failed(ItemFailure, isRemembered: Bool = false)

  /// What its files were made of.
  var shown: (content: ContentRecord, filePlan: FilePlan)? {
    if case .shown(let content, let filePlan) = self { (content, filePlan) } else { nil }
  }
}
