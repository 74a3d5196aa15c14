internal import TesseraJSON

/// A request in a log: in the Combined Log Format (nginx, Apache, Caddy), with named columns (W3C Extended Log Format:
/// CloudFront, IIS), or as a JSON object on a line (Caddy, and what others write so).
struct AccessLogLine: Equatable {
  var method: String
  /// A path or a URL.
  var target: Substring
  var status: Int

  /// Whether people got to see what was requested.
  var isView: Bool {
    method == "GET" && (200..<300 ~= status || status == 304)
  }

  init?(_ bytes: [UInt8], _ columns: Columns?) {
    if bytes.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "{") {
      self.init(json: bytes)
    } else if let columns {
      self.init(columns: columns, String(decoding: bytes, as: UTF8.self))
    } else {
      self.init(combined: String(decoding: bytes, as: UTF8.self))
    }
  }

  private init?(_ method: some StringProtocol, _ target: Substring, _ status: Int?) {
    guard let status else { return nil }
    (self.method, self.target, self.status) = (String(method), target, status)
  }

  /// `GET /a HTTP/1.1`, as it stands in the first line of a request.
  private init?(request: Substring, _ status: Int?) {
    let words = request.split(separator: " ")
    guard words.count >= 2 else { return nil }
    self.init(words[0], words[1], status)
  }

  /// `192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 2326 …`
  private init?(combined line: String) {
    let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    self.init(request: parts[1], parts[2].split(separator: " ").first.flatMap { Int($0) })
  }

  // MARK: Named columns

  /// The places of columns, from a line such as `#Fields: date cs-method cs-uri-stem sc-status`.
  struct Columns: Sendable, Equatable {
    let method: Int
    let target: Int
    let status: Int

    init?(_ line: [UInt8]) {
      guard line.starts(with: Array("#Fields:".utf8)) else { return nil }
      let names = String(decoding: line, as: UTF8.self).dropFirst("#Fields:".count)
        .split { $0 == " " || $0 == "\t" }
      guard let method = names.firstIndex(of: "cs-method"),
        let target = names.firstIndex(of: "cs-uri-stem") ?? names.firstIndex(of: "cs-uri"),
        let status = names.firstIndex(of: "sc-status")
      else { return nil }
      (self.method, self.target, self.status) = (method, target, status)
    }
  }

  private init?(columns: Columns, _ line: String) {
    let values = line.split { $0 == " " || $0 == "\t" }
    guard values.count > max(columns.method, columns.target, columns.status) else { return nil }
    self.init(values[columns.method], values[columns.target], Int(values[columns.status]))
  }

  // MARK: JSON

  private static let targets = ["uri", "request_uri", "path", "url", "cs-uri-stem"]
  private static let methods = ["method", "request_method", "cs-method"]
  private static let statuses = ["status", "status_code", "sc-status"]

  private init?(json bytes: [UInt8]) {
    guard let line = try? JSONParser.parse(bytes) else { return nil }
    let status = Self.statuses.lazy.compactMap { line[$0] }.first.flatMap { value in
      value.intValue ?? value.stringValue.flatMap { Int($0) }
    }
    if let request = line["request"]?.stringValue {
      self.init(request: request[...], status)
      return
    }
    // Caddy has the request as an object.
    let request = line["request"] ?? line
    guard let method = Self.methods.lazy.compactMap({ request[$0]?.stringValue }).first,
      let target = Self.targets.lazy.compactMap({ request[$0]?.stringValue }).first
    else { return nil }
    self.init(method, target[...], status)
  }
}
