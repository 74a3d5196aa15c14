import TesseraCatalog

@testable import TesseraPipeline

extension Stage {
  /// The stage in a few words, for tables.
  var summary: String {
    switch self {
    case .read: "read"
    case .line: "line"
    case .unconfirmed: "doubted"
    case .known: "known"
    case .requesting(let pending):
      pending.conditions.condition == nil ? "asking for bytes" : "asking"
    case .answered: "answered"
    case .received: "received"
    case .planned: "planned"
    case .made: "made"
    case .complete: "complete"
    case .confirmed: "confirmed"
    case .done(let done): done.outcome.summary
    }
  }

  /// The bytes that have been received.
  var bytes: SourceBytes? {
    switch self {
    case .received(let received): received.bytes
    case .planned(let planned), .made(let planned, _): planned.bytes
    case .complete(let complete): complete.received.bytes
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
