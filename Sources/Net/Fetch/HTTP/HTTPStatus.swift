/// What HTTP status codes mean here (RFC 9110, section 15).
package enum HTTPStatus {
  /// Whether the same request may succeed later. 425 is Too Early (RFC 8470).
  static func isRetryable(_ status: Int) -> Bool {
    [408, 425, 429, 500, 502, 503, 504].contains(status) || GatewayStatus.contains(status)
  }

  /// Whether the server wants fewer requests, or has none behind it that could answer.
  static func isBusy(_ status: Int) -> Bool {
    status == 429 || status == 503 || GatewayStatus.contains(status)
  }

  /// Whether a message of the error `http-status` says so.
  package static func isBusy(message: String) -> Bool {
    status(inMessage: message).map(isBusy) ?? false
  }

  // Not 300, which offers a choice, nor 304, which answers a conditional request (section 15.4).
  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  /// What the error `http-status` says: a clause.
  static func answer(of who: String, _ status: Int) -> String {
    "\(who)\(answered)\(status)\(phrase(status).map { " \($0)" } ?? "")"
  }

  /// The status that a message of that error names; nil if it names none.
  package static func status(inMessage message: String) -> Int? {
    guard let verb = message.firstRange(of: answered) else { return nil }
    let digits = message[verb.upperBound...].prefix { $0.isASCII && $0.isNumber }
    return digits.count == 3 ? Int(digits) : nil
  }

  private static let answered = " answered "

  /// The standard reason phrase; nil for a status that is rare. The server's own phrase is not
  /// used, because the catalog must not repeat text from an untrusted source.
  static func phrase(_ status: Int) -> String? {
    let phrases = [
      204: "No Content", 206: "Partial Content", 304: "Not Modified", 400: "Bad Request",
      401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
      406: "Not Acceptable", 408: "Request Timeout", 410: "Gone", 425: "Too Early",
      429: "Too Many Requests", 451: "Unavailable For Legal Reasons",
      500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
      504: "Gateway Timeout",
    ]
    return phrases[status]
  }
}
