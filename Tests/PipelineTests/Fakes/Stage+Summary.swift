import TesseraCatalog

@testable import TesseraPipeline

extension Stage {
  /// The stage in a few words, for tables.
  var summary: String {
    switch self {
    case .read: "read"
    case .line: "line"
    case .doubted: "doubted"
    case .known: "known"
    case .asking(_, let question): question.condition == nil ? "asking for bytes" : "asking"
    case .answered: "answered"
    case .received: "received"
    case .planned: "planned"
    case .made: "made"
    case .complete: "complete"
    case .confirmed: "confirmed"
    case .done(_, let outcome): outcome.summary
    }
  }

  /// The bytes that have been received.
  var bytes: SourceBytes? {
    switch self {
    case .received(_, let bytes, _), .planned(_, let bytes, _, _), .made(_, let bytes, _, _),
      .complete(_, let bytes, _, _):
      bytes
    default: nil
    }
  }
}

extension Outcome {
  /// The outcome in a few words, for tables.
  var summary: String {
    switch self {
    case .shown: "shown"
    case .pending: "pending"
    case .failed(let failure, _): "failed \(CatalogImage.Failure(failure).code)"
    }
  }
}
