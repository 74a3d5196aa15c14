internal import TesseraCatalog
internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// How long what a server confirmed may be used without a request (RFC 9111). Pure: moments are given to it, in
/// seconds since 1970.
struct FreshnessPolicy: Sendable {
  let revalidation: PipelineFile.Revalidation
  /// The number of this run.
  let run: Int
  /// Whether only items that failed, are stale or are new are requested (`--retry-failed`).
  let onlyFailed: Bool
  /// Whether nothing is fresh (`--refresh`).
  var refreshes = false

  /// Until when a confirmation is good in later runs, in seconds since 1970; infinite if it always is. Items, lines, chunks and
  /// whole runs go by it.
  func end(of confirmation: Confirmation) -> Double {
    switch revalidation {
    case .always: 0
    case .never: .infinity
    case .whenStale: confirmation.freshUntil ?? 0
    }
  }

  /// Whether a confirmation is still good.
  func isFresh(_ confirmation: Confirmation, now: Double) -> Bool {
    if refreshes { return false }
    // Once a run is enough, even with `revalidate: always`.
    if confirmation.run == run { return true }
    let end = end(of: confirmation)
    // If the clock was set back, `checked` is in the future, and the answer would stay fresh for as
    // long as the clock was wrong.
    return (end.isInfinite || confirmation.checked <= now) && now < end
  }

  /// Whether a source's bytes may be used without a request.
  func isFresh(_ source: KnownSource, now: Double) -> Bool {
    // A newer header shows that the bytes have changed.
    guard source.header == nil, let record = source.record else { return false }
    if onlyFailed, !refreshes, source.isReady {
      switch source.lastStatus {
      case .ok: return true
      // Another item with this source may have found in this run that it works again.
      case .stale, .failed: return record.confirmation.run == run
      case .pending, nil: break
      }
    }
    return isFresh(record.confirmation, now: now)
  }

  /// Whether a layout run leaves an item alone because only failed ones are requested.
  func isLeftAlone(_ source: KnownSource) -> Bool {
    onlyFailed && (source.lastStatus == .ok || source.lastStatus == .pending)
  }

  /// What a server confirmed at `now`. A 304 may leave out what has not changed (RFC 9111, section
  /// 4.3.4), also how long it stays fresh. Redirects are responses of their own: once one of them is
  /// stale, it may lead elsewhere; and one that says nothing is not fresh at all.
  func confirmation(
    _ response: FetchResponse, before: Confirmation?, now: Double
  ) -> Confirmation {
    let last = before.flatMap { before in before.freshUntil.map { $0 - before.checked } }
    let seconds = { (lifetime: Duration?) in lifetime.map { Double($0.components.seconds) } }
    let hops = response.redirectFreshness.map(seconds) + [seconds(response.freshness) ?? last]
    let lifetime = hops.contains(nil) ? nil : hops.compactMap(\.self).min()
    // Fractions of a second would take twice the place in the state.
    let now = now.rounded(.down)
    return Confirmation(
      etag: response.validators?.etag ?? before?.etag,
      lastModified: response.validators?.lastModified ?? before?.lastModified, checked: now,
      freshUntil: lifetime.map { now + $0 }, run: run)
  }

  /// How received bytes relate to the known ones.
  func change(_ source: KnownSource, to digest: String, _ response: FetchResponse?) -> Reason {
    if source.rejection?.content == digest { return .sameRejectedBytes }
    guard let record = source.record else {
      return source.rejection == nil ? .fetchedFirst : .fetchedAgain
    }
    if record.content == digest { return .sameBytes }
    return .changed(
      oldETag: record.confirmation.etag, newETag: response?.validators?.etag)
  }
}

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

/// The places of answers (`FetchResponse.place`) that the state does not have: most come from the URL that was requested.
struct FinalURLs: Sendable {
  /// Query parameters that do not identify a source.
  let ignoredQuery: [String]

  private func place(of item: Item) -> String {
    SourceURL.place(item.requestURL, ignoring: ignoredQuery)
  }

  /// A record as it is stored.
  func stored(_ record: SourceRecord, of item: Item) -> SourceRecord {
    var stored = record
    // The place of a place is itself, and most requests are for one.
    if let url = record.url, url.isSame(as: item.requestURL) || url.isSame(as: place(of: item)) {
      stored.url = nil
    }
    return stored
  }

  /// A record that was stored, with its place.
  func known(_ record: SourceRecord, of item: Item) -> SourceRecord {
    var known = record
    known.url = record.url ?? place(of: item)
    return known
  }
}
