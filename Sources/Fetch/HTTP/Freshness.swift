/// How long a response may be reused without revalidation (RFC 9111, section 4.2), for a private
/// cache. Pure; the moment of the response is the beginning of the lifetime.
package enum Freshness {
  /// A lifetime is at most a year: RFC 2616, section 14.21 set this limit, and longer ones occur
  /// only as "forever".
  private static let longest = 31_536_000

  /// - Returns: the lifetime from the moment of the response; zero if it must be revalidated before
  ///   each use; nil if the server does not say. No lifetime is guessed from Last-Modified.
  package static func lifetime(of headers: ResponseHeaders) -> Duration? {
    var maximumAge: Int?
    for directive in (headers["cache-control"] ?? "").split(separator: ",") {
      let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
      switch parts.first?.lowercased() {
      case "no-store", "no-cache": return .zero
      case "max-age" where parts.count == 2:
        // A malformed age means stale (section 4.2.1).
        maximumAge = Int(parts[1].filter { $0 != "\"" }).map { max(0, min($0, longest)) } ?? 0
      default: break
      }
    }
    // max-age takes precedence over Expires (section 5.3).
    if let maximumAge {
      // How long caches between the server and here have kept the response (section 5.1).
      let age = headers["age"].flatMap { Int($0) } ?? 0
      return .seconds(max(0, maximumAge - max(0, age)))
    }
    guard let expires = headers["expires"] else { return nil }
    // Both times are the server's, so that its clock may be wrong. That is why `now` is not needed.
    // A malformed date is in the past (section 5.3).
    guard let end = HTTPDate.seconds(expires), let now = headers["date"].flatMap(HTTPDate.seconds)
    else { return .zero }
    return .seconds(max(0, min(end - now, longest)))
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
