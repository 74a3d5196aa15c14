import TesseraState

@testable import TesseraPipeline

extension Verdict {
  /// The server is asked about a source that it gave no lifetime.
  static func confirmation(of record: SourceRecord) -> Verdict {
    Verdict(
      need: .confirmation(Conditions(condition: record.condition)),
      reason: .noLifetime(checked: record.confirmation.checked))
  }
}
