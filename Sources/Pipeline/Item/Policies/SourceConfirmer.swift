internal import TesseraNet
internal import TesseraState
internal import TesseraSystem

/// Makes the record of a source that a server has just confirmed.
struct SourceConfirmer: Sendable {
  let freshness: FreshnessPolicy
  let clock: WallClock

  /// - Parameters:
  ///   - content: SHA-256 of the source's bytes.
  ///   - before: what the answer may leave out, because it has not changed; nil for new bytes.
  func record(
    _ content: String, _ response: FetchResponse, before: SourceRecord? = nil
  ) -> SourceRecord {
    SourceRecord(
      content: content,
      confirmation: freshness.confirmation(
        response, before: before?.confirmation, now: clock.now()),
      url: response.place,
      robots: response.robots ?? before?.robots)
  }
}
