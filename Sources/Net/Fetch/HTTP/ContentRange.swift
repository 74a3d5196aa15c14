/// The header Content-Range (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Equatable {
  package var range: Range<Int>
  /// The length of the whole; nil if the server does not know it.
  package var total: Int?

  /// Nil if the text is not a valid range of bytes.
  package init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last
    else { return nil }
    range = first..<last + 1
    if parts[1] != "*" {
      guard let total = Self.number(parts[1]), last < total else { return nil }
      self.total = total
    }
  }

  /// Digits only: `Int` would accept a sign. At most 15, so that no sum can overflow.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 15,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }
}

extension ResponseHeaders {
  /// What the body of a successful response holds.
  ///
  /// - Parameter wanted: the requested range; nil if everything was requested.
  /// - Throws: ``FetchError/Code/badRange`` if the response is a part that does not begin at the
  ///   beginning of the requested range: bytes of unknown offset must not be combined; or
  ///   ``FetchError/Code/badResponse``.
  func extent(wanted: Range<Int>?) throws(FetchError) -> BodyExtent {
    guard !isContradictory("content-length") else {
      throw FetchError(.badResponse, "the server stated different lengths (Content-Length)")
    }
    guard status == 206 else {
      // A malformed or negative Content-Length counts as unknown.
      let length = isCompressed ? nil : self["content-length"].flatMap { Int($0) }
      return .whole(length: length.flatMap { $0 >= 0 ? $0 : nil })
    }
    guard let text = self["content-range"] else {
      throw FetchError(.badRange, "the server sent a part without Content-Range")
    }
    guard let wanted, let content = ContentRange(text),
      content.range.lowerBound == wanted.lowerBound
    else { throw FetchError(.badRange, "the server sent a different range than requested") }
    guard !isCompressed else {
      throw FetchError(.badRange, "the server sent a part of compressed data")
    }
    return .part(content.range, of: content.total)
  }
}
