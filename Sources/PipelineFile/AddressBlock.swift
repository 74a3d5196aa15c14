internal import Glibc

/// The syntax of address blocks (CIDR; RFC 4632 and RFC 4291). The fetcher applies them.
enum AddressBlock {
  static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let bits = UInt8(parts[1]), parts[1].first != "+" else { return false }
    var address = in6_addr()  // large enough for an IPv4 address, too
    if inet_pton(AF_INET, String(parts[0]), &address) == 1 { return bits <= 32 }
    return inet_pton(AF_INET6, String(parts[0]), &address) == 1 && bits <= 128
  }
}
