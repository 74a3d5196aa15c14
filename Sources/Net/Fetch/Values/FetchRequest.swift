internal import TesseraText

/// One request for a source's bytes.
package struct FetchRequest: Sendable {
  package var url: String
  /// Whether a redirect to another origin led to the URL, which must not receive the configured
  /// headers: they may hold credentials.
  package var leftOrigin = false
  /// Makes the request conditional: the result may then be ``FetchResponse/Ending/notModified``.
  package var condition: Condition?
  /// The bytes to request; nil requests all of them. A server may ignore a range and send
  /// everything: ``BodyReceiving/begin(_:_:)`` reports what the body holds.
  package var range: Range<Int>?
  /// With a range: the validator of the version that the range belongs to (RFC 9110, section
  /// 13.1.5). If the source has changed, the server sends all of the new version.
  package var ifRange: String?
  /// Whether the receiver stops long before the end. Then the source may be larger than
  /// `maximumBytes`, as long as no more is read of it, and compression is not offered.
  package var isForBeginning = false
  /// How long the request may take from when it leaves the queue.
  package var deadline: Duration
  /// The position among queued requests: the lowest starts next. Nil is behind all of them.
  package var turn: Int?
  /// Set if this request continues what an earlier one began: the time by which it must have ended,
  /// time in the queue included. It starts before all requests that begin something new.
  package var end: ContinuousClock.Instant?

  package init(
    url: String, condition: Condition? = nil, deadline: Duration
  ) {
    self.url = url
    self.condition = condition
    self.deadline = deadline
  }
}

extension RequestHeader {
  /// Whether requests to the origin have the header. The origin is what libcurl connects to: another
  /// reading of the same URL could name another host.
  func isFor(_ origin: Origin) -> Bool {
    host.map { origin.names.contains(HostName.withPort($0)) } ?? true
  }
}

extension Origin {
  /// What settings that are bound to a host may call it: with its port, and without a default one.
  var names: [String] {
    // The port names https. A URL may say http all the same, which everyone on the way could read.
    if host.isEmpty || (scheme, port) == ("http", "443") { return [] }
    let whole = "\(host):\(port)"
    return authority == whole ? [whole] : [whole, authority]
  }
}
