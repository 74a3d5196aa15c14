internal import Glibc

/// A host as requests go to it. Every spelling of one host is the same value: what UTS 46 maps (capitals, "①", "。",
/// invisible characters), percent-encoding, dots at the end, and all notations of an IP address.
///
/// All comparisons of hosts take place in it, and libcurl is given its text (``CurlURL/requested(_:)``): a
/// comparison of another spelling would be one of another host than the one that gets the request.
package struct HostName: Sendable, Hashable, CustomStringConvertible {
  /// In ASCII and lower case, an IPv6 address in brackets; empty for a text that is not a host.
  package let text: String

  /// - Parameter written: a host as people write it, without a port.
  package init(_ written: String) {
    // libcurl would find one part of something else than a host.
    let isHost = written.hasPrefix("[") || !written.utf8.contains(where: ":/?#@\\".utf8.contains)
    self.init(
      ascii: HostName.isPlain(written.utf8)
        ? written : isHost ? CurlURL("http://\(written)/")?[.asciiHost] ?? "" : "")
  }

  /// - Parameter name: a host that UTS 46 was applied to, or need not be.
  init(ascii name: String) {
    if Self.isPlain(name.utf8) {
      text = name
      return
    }
    var name = name.lowercased()
    while name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
    let inner = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
    text = Self.number(inner).map { ($0.mapped ?? $0).hostText } ?? name
  }

  package var isEmpty: Bool { text.isEmpty }
  package var description: String { text }

  /// The address that the host spells out; loopback for the names that are reserved for it (RFC 6761); nil for all other
  /// names.
  ///
  /// A proxy resolves names and connects by itself, so this is all that can be checked of a request through one.
  package var address: IPAddress? {
    let isReserved = Self.loopback.contains(text) || text.hasSuffix(".localhost")
    if isReserved { return IPAddress("127.0.0.1") }
    return Self.metadata.contains(text) ? IPAddress("169.254.169.254") : literal
  }

  /// Besides the reserved name those that Debian and Red Hat have in `/etc/hosts`.
  private static let loopback: Set = [
    "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
    "localhost6.localdomain6", "ip6-localhost", "ip6-loopback",
  ]

  /// Names of cloud metadata services, which the resolvers of these clouds answer.
  private static let metadata: Set = ["metadata.google.internal", "metadata.goog", "instance-data"]

  /// The address that the host is; nil for a name.
  package var literal: IPAddress? {
    IPAddress(text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text)
  }

  /// The same for a host that may have a port, which stays as it is: `EXAMPLE.com:8080`.
  package static func withPort(_ written: String) -> String {
    guard let colon = written.lastIndex(of: ":"), written.last != "]" else {
      return HostName(written).text
    }
    return HostName(String(written[..<colon])).text + written[colon...]
  }

  /// Whether a text is a name in its one spelling. A quick look, because nearly all are: it has no capitals, nothing that is
  /// mapped, no dot at its end, and does not end in a number.
  package static func isPlain(_ written: some BidirectionalCollection<UInt8>) -> Bool {
    let isName = written.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    let start = written.lastIndex(of: UInt8(ascii: ".")).map { written.index(after: $0) }
    guard isName, let first = written[(start ?? written.startIndex)...].first else { return false }
    return first > UInt8(ascii: "9")
  }

  /// Any notation that resolvers read: 2130706433, 0x7f.1, 0177.1, ::1. No query is sent to a name server.
  private static func number(_ name: String) -> IPAddress? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0, let list else { return nil }
    defer { freeaddrinfo(list) }
    return list.pointee.ai_addr.flatMap { IPAddress($0) }
  }
}

extension CurlURL {
  /// The URL with its host as requests go to it (``HostName``): what libcurl is given. A text that is not a URL stays, because
  /// libcurl rejects it by itself; nil for a host that cannot be requested.
  package static func requested(_ text: String) -> String? {
    guard let url = CurlURL(text) else { return text }
    let host = url[.asciiHost].map { HostName(ascii: $0).text } ?? ""
    guard let written = url[.host] else { return text }
    // A percent sign that is left would be decoded by some proxies, to another host.
    if host.isEmpty || host.utf8.contains(UInt8(ascii: "%")) { return nil }
    if host == written { return text }
    return url.set(.host, to: host) ? url[.url] : nil
  }
}

extension IPAddress {
  /// The IPv4 address that stands for the same host as this mapped one (::ffff:0:0/96).
  fileprivate var mapped: IPAddress? {
    bytes.count == 16 && bytes[..<12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
      ? embedded : nil
  }

  fileprivate var hostText: String { bytes.count == 4 ? "\(self)" : "[\(self)]" }
}
