/// Decides which addresses may be connected to. The default is the public internet only: a
/// manifest is written by strangers, and may name what only this machine can reach.
///
/// The decision is made on the address of each connection, after names are resolved and on every
/// hop of a redirect, so no spelling and no second answer of a name server gets around it.
package struct AddressPolicy: Sendable {
  private let allowed: [AddressBlock]

  /// - Parameter allow: `loopback`, `private`, or CIDR blocks. What is none of these allows nothing.
  package init(allow: [String] = []) {
    allowed = allow.flatMap { entry in
      switch entry {
      case "loopback": Self.loopback
      case "private": Self.privateUse
      default: AddressBlock(entry).map { [$0] } ?? []
      }
    }
  }

  /// Whether an entry of `allow` means anything.
  package static func understands(_ entry: String) -> Bool {
    entry == "loopback" || entry == "private" || AddressBlock(entry) != nil
  }

  package func permits(_ address: IPAddress) -> Bool {
    if allowed.contains(where: { $0.contains(address) }) { return true }
    if let embedded = address.embedded { return permits(embedded) }
    return Self.isPublic(address)
  }

  /// What to write into the pipeline to permit an address.
  package static func permission(for address: IPAddress) -> String {
    let inner = address.embedded ?? address
    if loopback.contains(where: { $0.contains(inner) }) { return "loopback" }
    if privateUse.contains(where: { $0.contains(inner) }) { return "private" }
    return "\"\(inner)/\(inner.bytes.count * 8)\""
  }

  private static func isPublic(_ address: IPAddress) -> Bool {
    if address.bytes.count == 16, !globalUnicast.contains(where: { $0.contains(address) }) {
      return false
    }
    return !special.contains { $0.contains(address) }
  }

  private static func blocks(_ texts: String...) -> [AddressBlock] {
    texts.compactMap { AddressBlock($0) }
  }

  private static let loopback = blocks("127.0.0.0/8", "::1/128")
  private static let privateUse = blocks(
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")

  /// The one block of IPv6 that IANA hands out for global unicast.
  private static let globalUnicast = blocks("2000::/3")

  /// IANA's special-purpose registries (RFC 6890 and its successors): what is not globally
  /// reachable, and multicast.
  private static let special = blocks(
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    // 2001::/23 holds Teredo, ORCHID and benchmarking; 3fff::/20 is documentation (RFC 9637).
    "2001::/23", "2001:db8::/32", "3fff::/20")
}
