private import TesseraCCurl

/// How long an answer may be used without asking again (RFC 9111, section 4.2), for a private cache.
package enum Freshness {
  /// - Returns: the time from now on, zero where the answer must not be used without asking, or nil
  ///   where the server says nothing (no guess is made from Last-Modified).
  package static func lifetime(of headers: ResponseHeaders) -> Duration? {
    var maximumAge: Int?
    for directive in (headers["cache-control"] ?? "").split(separator: ",") {
      let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
      switch parts.first?.lowercased() {
      case "no-store", "no-cache": return .zero
      case "max-age" where parts.count == 2:
        // An age that is no number counts as none at all (section 4.2.1). A year is for ever.
        maximumAge = Int(parts[1].filter { $0 != "\"" }).map { max(0, min($0, 31_536_000)) } ?? 0
      default: break
      }
    }
    if let maximumAge {
      let age = headers["age"].flatMap { Int($0) } ?? 0
      return .seconds(max(0, maximumAge - max(0, age)))
    }
    guard let expires = headers["expires"] else { return nil }
    // Two moments of one clock, the server's. A date that can't be read is in the past (section 5.3).
    guard let end = date(expires), let now = headers["date"].flatMap(date) else { return .zero }
    return .seconds(max(0, min(end - now, 31_536_000)))
  }

  /// Retry-After in both its forms (RFC 9110, section 10.2.3).
  static func retryAfter(_ headers: ResponseHeaders, now: Int) -> Duration? {
    guard let text = headers["retry-after"] else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? .seconds(seconds) : nil }
    return date(text).map { .seconds(max(0, $0 - now)) }
  }

  /// Seconds since 1970; nil where the text is no date.
  private static func date(_ text: String) -> Int? {
    let seconds = curl_getdate(text, nil)
    return seconds < 0 ? nil : Int(seconds)
  }
}

/// The headers of one answer. Names are in lower case; of a repeated name the values are joined as
/// RFC 9110, section 5.3 says.
package struct ResponseHeaders: Sendable, Equatable {
  private(set) var status = 0
  private var fields: [String: String] = [:]
  private(set) var size = 0

  /// More than this is nobody's honest answer.
  static let maximumSize = 64 * 1024

  package init() {}

  package subscript(name: String) -> String? { fields[name] }

  /// Takes one line as libcurl gives it. A status line begins a new answer (after a redirect, or
  /// after an interim one). Returns false where there is too much.
  mutating func take(_ line: String) -> Bool {
    size += line.utf8.count
    guard size <= Self.maximumSize else { return false }
    if line.hasPrefix("HTTP/") {
      fields = [:]
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return true
    }
    guard let colon = line.firstIndex(of: ":") else { return true }
    let name = line[..<colon].lowercased()
    let value = line[line.index(after: colon)...].trimmingBlanks
    fields[name] = fields[name].map { "\($0), \(value)" } ?? value
    return true
  }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    let isBlank = { (character: Character) in
      character == " " || character == "\t" || character == "\r\n" || character == "\n"
        || character == "\r"
    }
    let front = drop(while: isBlank)
    guard let last = front.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(front[...last])
  }
}
