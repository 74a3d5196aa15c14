internal import TesseraState
internal import TesseraText

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
