/// The status and headers of one response. Names are in lower case; the values of a repeated name
/// are joined with commas (RFC 9110, section 5.3).
package struct ResponseHeaders: Sendable, Equatable {
  package private(set) var status = 0
  private var fields: [String: String] = [:]

  package init() {}

  package subscript(name: String) -> String? { fields[name] }

  /// Adds one line as libcurl passes it. A status line begins a new response, after an interim one
  /// (1xx).
  package mutating func add(_ line: String) {
    if line.hasPrefix("HTTP/") {
      fields = [:]
      status =
        line.split(separator: " ").dropFirst().first.flatMap { Int($0.utf8.trimmingBlanks) } ?? 0
      return
    }
    // The empty line at the end. A malformed header without a colon is ignored like it.
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = line[..<colon].lowercased()
    let value = line.utf8[line.utf8.index(after: colon)...].trimmingBlanks
    fields[name] = fields[name].map { "\($0), \(value)" } ?? value
  }
}

extension Substring.UTF8View {
  /// Bytes, because characters take several times as long.
  fileprivate var trimmingBlanks: String {
    let isBlank = { (byte: UInt8) in
      [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte)
    }
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(Substring(self[first...last]))
  }
}
