internal import TesseraText

/// What identifies a version of a source (RFC 9110, section 8.8). At least one of both is set.
///
/// It belongs to the place that gave it: two places may use the same ETag for different images.
package struct Validators: Sendable, Equatable {
  package var etag: String?
  package var lastModified: String?

  /// Nil if neither is usable.
  package init?(etag: String?, lastModified: String?) {
    self.etag = etag.flatMap(Self.usable)
    self.lastModified = lastModified.flatMap(Self.usable)
    if self.etag == nil && self.lastModified == nil { return nil }
  }

  /// Nil if the text cannot be sent back as it came. RFC 9110, section 5.5 forbids control
  /// characters in a header: a bare CR may begin a line of its own for the server. U+FFFD replaces
  /// bytes that are not UTF-8, so it is not what the server sent.
  private static func usable(_ text: String) -> String? {
    text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "\u{FFFD}" }
      ? nil : text
  }

  /// The validator that changes with every byte; nil if there is none. Last-Modified is not strong:
  /// its resolution is a second (RFC 9110, section 8.8.2.2). Neither is an ETag that begins with
  /// W/.
  package var strong: String? { etag.flatMap { $0.hasPrefix("\"") ? $0 : nil } }
}

/// What makes a request conditional: "only if the version is another one than this".
package struct Condition: Sendable, Equatable {
  package var validators: Validators
  /// The place that gave them (``FetchResponse/place``). They are sent to no other one that a
  /// redirect leads to, because its "not modified" would be about another image.
  package var place: String

  /// Nil if one of both is unknown.
  package init?(_ validators: Validators?, at place: String?) {
    guard let validators, let place else { return nil }
    self.validators = validators
    self.place = place
  }

  /// What a request to this URL is sent with; nil for nothing. The validators belong to another place
  /// if a redirect leads elsewhere than when they were received.
  ///
  /// - Parameter parameters: query parameters that do not identify a source.
  func validators(at url: String, ignoring parameters: [String]) -> Validators? {
    // Most places are the URL itself.
    if place.utf8.elementsEqual(url.utf8) { return validators }
    let known = SourceURL.place(place, ignoring: parameters)
    return known.isSame(as: SourceURL.place(url, ignoring: parameters)) ? validators : nil
  }
}
