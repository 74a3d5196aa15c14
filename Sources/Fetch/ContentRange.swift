/// Which bytes of a source an answer's body holds.
package enum BodyExtent: Sendable, Equatable {
  /// All of them. The length is nil where the server does not tell it, or tells that of compressed
  /// bytes.
  case whole(length: Int?)
  /// A part (206), and how long the whole is, where the server tells.
  case part(Range<Int>, of: Int?)
}

/// The header Content-Range (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Equatable {
  package var range: Range<Int>
  /// Nil where the server does not know.
  package var total: Int?

  /// Nil where the text names no range of bytes that can be.
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

  /// Digits alone, and no more than any file has.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 15,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }
}

extension ResponseHeaders {
  /// What the body of a good answer holds.
  ///
  /// - Parameter wanted: the range that was asked for, where one was.
  /// - Throws: ``FetchError/Code/badRange`` where the answer is a part, and not one that begins where
  ///   it was asked to: bytes of unknown place must not be put together.
  func extent(wanted: Range<Int>?) throws(FetchError) -> BodyExtent {
    let isEncoded = self["content-encoding"].map { $0.lowercased() != "identity" } ?? false
    guard status == 206 else {
      let length = isEncoded ? nil : self["content-length"].flatMap { Int($0) }
      return .whole(length: length.flatMap { $0 >= 0 ? $0 : nil })
    }
    guard let text = self["content-range"] else {
      throw FetchError(.badRange, "the server sent a part without saying which")
    }
    guard let wanted, let content = ContentRange(text),
      content.range.lowerBound == wanted.lowerBound
    else { throw FetchError(.badRange, "the server sent another part than was asked for") }
    guard !isEncoded else {
      throw FetchError(.badRange, "the server sent a part of compressed data")
    }
    return .part(content.range, of: content.total)
  }
}
