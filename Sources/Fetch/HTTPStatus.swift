/// The reason phrases of RFC 9110 that people meet.
enum HTTPStatus {
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
