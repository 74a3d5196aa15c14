internal import TesseraNet
internal import TesseraPlan
internal import TesseraState
internal import TesseraWorkers

/// How far an item has come: each stage has what is known there, and nothing that comes later. A step
/// takes what its stage has and returns the next one.
///
/// What goes wrong with the item is an outcome; only what would hit every item alike (no disk space, no
/// workers) is thrown.
///
/// A suspended step keeps room for every value that it works with, for each of thousands of items. So what a stage has is
/// an object, and what is decided without waiting is a function of its own that is not inlined (`@inline(never)`), like
/// the steps themselves.
enum Stage: Sendable {
  /// It was read from the manifest, with what was known of it then.
  case read(LineReuse.Lookup?)
  /// Its line of an earlier run applies if the server confirms the source.
  case line(LineReuse.Line)
  /// The line may not apply after this answer. What is known of the source has to be looked up.
  case unconfirmed(LineReuse.Line, Answer)
  case known(Known)
  case requesting(PendingRequest)
  case answered(PendingRequest, Answer)
  case received(Received)
  case planned(Planned)
  indirect case made(Planned, MadeFiles)
  case complete(Complete)

  // The ends.

  /// The server has confirmed the source of its line.
  case confirmed(LineReuse.Line)
  case done(Done)

  static func done(_ source: KnownSource, _ outcome: Outcome) -> Stage {
    .done(Done(source, outcome))
  }
}

/// What earlier runs, and earlier items of this run, know of an item's source, and what it needs, at one moment.
final class Known: Sendable {
  let source: KnownSource
  let verdict: Verdict
  /// In seconds since 1970.
  let now: Double

  init(_ source: KnownSource, _ verdict: Verdict, now: Double) {
    (self.source, self.verdict, self.now) = (source, verdict, now)
  }
}

/// A request that is to be made.
final class PendingRequest: Sendable {
  let known: Known
  let conditions: Conditions

  init(_ known: Known, _ conditions: Conditions) {
    (self.known, self.conditions) = (known, conditions)
  }
}

/// What the server answered, after all attempts.
indirect enum Answer: Sendable {
  case failed(FetchError)
  case notModified(FetchResponse)
  case rejected(Rejection, FetchResponse)
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

/// Bytes that files are to be made of, or that need none.
final class Received: Sendable {
  let known: Known
  let bytes: SourceBytes
  /// What the decoder saw, if that differs from the header.
  let seen: SourceFacts?

  init(_ known: Known, _ bytes: SourceBytes, seen: SourceFacts? = nil) {
    (self.known, self.bytes, self.seen) = (known, bytes, seen)
  }
}

/// The files that are to be made of received bytes.
final class Planned: Sendable {
  let received: Received
  let filePlan: FilePlan

  init(_ received: Received, _ filePlan: FilePlan) {
    (self.received, self.filePlan) = (received, filePlan)
  }

  var known: Known { received.known }
  var bytes: SourceBytes { received.bytes }
}

/// Received bytes of which all files are there.
final class Complete: Sendable {
  let received: Received
  let content: ContentRecord
  let filePlan: FilePlan

  init(_ received: Received, _ content: ContentRecord, _ filePlan: FilePlan) {
    (self.received, self.content, self.filePlan) = (received, content, filePlan)
  }
}

/// The end of an item's steps.
final class Done: Sendable {
  /// As earlier runs knew it.
  let source: KnownSource
  let outcome: Outcome

  init(_ source: KnownSource, _ outcome: Outcome) {
    (self.source, self.outcome) = (source, outcome)
  }
}

/// What became of an item.
indirect enum Outcome: Sendable {
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
