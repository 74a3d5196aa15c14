/// How long a response may be reused without revalidation (RFC 9111, section 4.2), for a private
/// cache. Pure; the moment of the response is the beginning of the lifetime.
package enum Freshness {
  /// A lifetime is at most a year: RFC 2616, section 14.21 set this limit, and longer ones occur
  /// only as "forever".
  private static let longest = 31_536_000

  /// - Returns: the lifetime from the moment of the response; zero if it must be revalidated before
  ///   each use; nil if the server does not say. No lifetime is guessed from Last-Modified.
  package static func lifetime(of headers: ResponseHeaders) -> Duration? {
    guard let stated = stated(in: headers) else { return nil }
    // How long caches between the server and here have kept the response. Of several the first
    // counts, and a malformed age is ignored (section 5.1).
    let age = headers.first("age").flatMap { $0.split(separator: ",").first }.flatMap(seconds) ?? 0
    return .seconds(max(0, min(stated, longest) - age))
  }

  /// Seconds from when the server made the response.
  private static func stated(in headers: ResponseHeaders) -> Int? {
    var maximumAge: Int?
    // Bytes, because characters take several times as long.
    for directive in (headers["cache-control"] ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let parts = directive.split(separator: UInt8(ascii: "="), maxSplits: 1).map { part in
        String(decoding: part.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
      }
      switch parts.first?.lowercased() {
      case "no-store", "no-cache": return 0
      // Of several the first counts, and a malformed one means stale (section 4.2.1).
      case "max-age" where maximumAge == nil:
        maximumAge = parts.dropFirst().first.flatMap { seconds($0.filter { $0 != "\"" }[...]) } ?? 0
      default: break
      }
    }
    // max-age takes precedence over Expires (section 5.3).
    if let maximumAge { return maximumAge }
    guard let expires = headers["expires"] else { return nil }
    // Both times are the server's, so that its clock may be wrong. That is why `now` is not needed.
    // A malformed date is in the past (section 5.3).
    guard let end = HTTPDate.seconds(expires), let now = headers["date"].flatMap(HTTPDate.seconds)
    else { return 0 }
    return end - now
  }

  /// Digits only (section 1.2.2). A number that is too large to represent stands for the largest.
  private static func seconds(_ text: Substring) -> Int? {
    let digits = text.filter { $0 != " " }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return min(Int(digits) ?? .max, Int(Int32.max))
  }
}

extension ResponseHeaders {
  /// The pause that Retry-After requests, in seconds or as a date (RFC 9110, section 10.2.3); nil
  /// if it is missing or malformed.
  ///
  /// - Parameter now: seconds since 1970 in UTC.
  package func requestedPause(now: Int) -> Duration? {
    guard let text = self["retry-after"] else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? .seconds(seconds) : nil }
    return HTTPDate.seconds(text).map { .seconds(max(0, $0 - now)) }
  }
}
