internal import TesseraText

/// Decides which addresses may be connected to. The default is the public internet only: a manifest
/// may come from an untrusted source and name services that only this machine can reach.
///
/// The services from which cloud machines read their credentials are rejected wherever their
/// addresses are, also in a network that the word `private` permits. Only a CIDR block that contains
/// the address permits it.
///
/// The policy is applied to the address of each connection, after name resolution and on every hop
/// of a redirect. So it cannot be evaded by the spelling of a host, or by a name server that
/// returns another address the second time (DNS rebinding).
package struct AddressPolicy: Sendable {
  /// The blocks that the user named, and those that a word stands for.
  private let named: [AddressBlock]
  private let implied: [AddressBlock]

  /// - Parameter allow: `loopback`, `private`, or CIDR blocks. Any other entry is ignored.
  package init(allow: [String] = []) {
    named = allow.compactMap { AddressBlock($0) }
    implied = allow.flatMap { Self.words[$0] ?? [] }
  }

  /// Whether this is a valid entry of `allow`.
  package static func understands(_ entry: String) -> Bool {
    words[entry] != nil || AddressBlock(entry) != nil
  }

  /// Whether a connection to the address may be opened. An IPv6 address that embeds an IPv4 address
  /// is judged by the embedded one, because that is where its packets go.
  package func permits(_ address: IPAddress) -> Bool {
    // First: the user may permit part of a block that is otherwise rejected, by its own CIDR.
    if named.contains(address) { return true }
    if let embedded = address.embedded { return permits(embedded) }
    if Self.metadata.contains(address) { return false }
    return implied.contains(address) || Self.isPublic(address)
  }

  /// The entry of `allow` that permits an address.
  package static func permission(for address: IPAddress) -> String {
    let inner = address.embedded ?? address
    let word = words.first { $0.value.contains(inner) && !metadata.contains(inner) }
    return word?.key ?? "\"\(inner)/\(inner.bytes.count * 8)\""
  }

  private static func isPublic(_ address: IPAddress) -> Bool {
    if address.bytes.count == 16, !globalUnicast.contains(address) { return false }
    return !special.contains(address)
  }

  private static func blocks(_ texts: String...) -> [AddressBlock] {
    texts.compactMap { AddressBlock($0) }
  }

  /// The words of `allow`.
  private static let words = [
    "loopback": blocks("127.0.0.0/8", "::1/128"),
    // RFC 1918, carrier-grade NAT (RFC 6598), and unique local IPv6 addresses (RFC 4193).
    "private": blocks(
      "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
  ]

  /// Metadata services of clouds outside the blocks that no word permits (169.254.0.0/16, fe80::/10
  /// and 192.0.0.0/24 have most of them), from their providers' documentation.
  private static let metadata = blocks(
    "168.63.129.16/32",  // Azure: WireServer, a public address
    "100.100.100.200/32", "fd00:100::100:200/128",  // Alibaba Cloud
    "fd00:ec2::/32",  // AWS: ::254 instances, ::23 pods; all of the block is for its services
    "fd20:ce::254/128",  // Google Cloud
    "fd00:c1::a9fe:a9fe/128",  // Oracle Cloud
    "fd00:42::42/128",  // Scaleway
    "fd00:a9fe:a9fe::1/128")  // Akamai (Linode)

  /// The only block of IPv6 from which IANA assigns global unicast addresses.
  private static let globalUnicast = blocks("2000::/3")

  /// Multicast, and the blocks that IANA's special-purpose registries (RFC 6890 and its successors)
  /// mark as not globally reachable.
  private static let special = blocks(
    // 169.254.0.0/16 includes 169.254.169.254, from which cloud machines read their credentials.
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    // 2001::/23 contains Teredo, ORCHID and benchmarking; 3fff::/20 is documentation (RFC 9637).
    "2001::/23", "2001:db8::/32", "3fff::/20")
}

extension [AddressBlock] {
  fileprivate func contains(_ address: IPAddress) -> Bool { contains { $0.contains(address) } }
}

extension AddressPolicy {
  /// Whether a URL leads to a server on the internet, which others run, as far as the URL shows it.
  package static func isPublic(_ url: String) -> Bool {
    let origin = Origin(url)
    guard ["http", "https"].contains(origin.scheme) else { return false }
    if let address = origin.host.address { return AddressPolicy().permits(address) }
    return !SourceURL.isReserved(host: origin.host.text)
  }
}

/// By whose word a request may go to an address. It is checked at each connection that is opened, so that no packet is
/// sent to another address, and at each request, because an open connection may be one of another request.
///
/// Credentials need no right of their own: those of a server, of a store and of a proxy are a part of each request (Basic,
/// AWS Signature Version 4), and none belongs to its connection.
enum AccessRight {
  /// A manifest or a redirect named the host.
  case web
  /// The user named the proxy, or the object store.
  case proxy, store

  /// - Parameter address: of the connection; nil for something else than an IP address.
  func permits(_ address: IPAddress?, _ policy: AddressPolicy) -> Bool {
    switch self {
    case .web: address.map(policy.permits) ?? false
    case .proxy, .store: true
    }
  }
}
