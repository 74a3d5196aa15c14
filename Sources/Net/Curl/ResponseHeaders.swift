/// The status and headers of one response. Names are in lower case.
package struct ResponseHeaders: Sendable, Equatable {
  package private(set) var status = 0
  private var fields: [String: [String]] = [:]

  /// The headers that are lists, of those that are read here: only their repetitions may be joined (RFC 9110, section 5.3).
  private static let lists: Set = ["cache-control", "content-encoding", "vary", "x-robots-tag"]

  package init() {}

  /// The value of a header. Of a list all values, with commas between them. Any other header has one value: equal
  /// repetitions count once, and of different ones none counts.
  package subscript(name: String) -> String? {
    guard let values = fields[name] else { return nil }
    if Self.lists.contains(name) { return values.joined(separator: ", ") }
    return values.count == 1 ? values[0] : nil
  }

  /// The first of a header's values.
  package func first(_ name: String) -> String? { fields[name]?.first }

  /// Whether a header that has one value was sent with different ones.
  package func isContradictory(_ name: String) -> Bool {
    !Self.lists.contains(name) && fields[name, default: []].count > 1
  }

  /// Adds one line as libcurl passes it. A status line begins a new response, after an interim one
  /// (1xx).
  package mutating func add(_ line: some BidirectionalCollection<UInt8>) {
    if line.starts(with: "HTTP/".utf8) {
      fields = [:]
      let words = line.split(separator: UInt8(ascii: " "))
      status = words.dropFirst().first.flatMap { Int(Self.text($0)) } ?? 0
      return
    }
    // The empty line at the end. A malformed header without a colon is ignored like it.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    let value = Self.text(line[line.index(after: colon)...], isURL: name == "location")
    if !Self.lists.contains(name) {
      // Two show that they differ, and a server may send any number.
      let values = fields[name] ?? []
      if values.count > 1 || values.contains(where: { $0.utf8.elementsEqual(value.utf8) }) {
        return
      }
    }
    fields[name, default: []].append(value)
  }

  /// A value without the blanks around it. Servers send 8-bit text here, too: what is not UTF-8 is replaced, but in a URL
  /// it is percent-encoded, so that no byte is lost.
  private static func text(
    _ value: some BidirectionalCollection<UInt8>, isURL: Bool = false
  ) -> String {
    // Bytes, because characters take several times as long.
    let isBlank = { (byte: UInt8) in
      [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte)
    }
    guard let first = value.firstIndex(where: { !isBlank($0) }),
      let last = value.lastIndex(where: { !isBlank($0) })
    else { return "" }
    let bytes = value[first...last]
    guard isURL, String(validating: bytes, as: UTF8.self) == nil else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return bytes.map { byte in
      byte < 0x80
        ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
