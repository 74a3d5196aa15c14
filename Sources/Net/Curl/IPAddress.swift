internal import Glibc
// libcurl's headers include <sys/socket.h> as well, and the compiler may take `sockaddr` from there.
package import TesseraCCurl

/// An IP address, 4 or 16 bytes in network order.
package struct IPAddress: Sendable, Hashable {
  package let bytes: [UInt8]

  /// - Precondition: 4 or 16 bytes.
  package init(bytes: [UInt8]) {
    precondition(bytes.count == 4 || bytes.count == 16)
    self.bytes = bytes
  }

  /// Reads the standard spellings (dotted decimal; RFC 4291). Other spellings need no support: the
  /// policy checks the address of a connection, after libcurl and the resolver have read the name.
  package init?(_ text: String) {
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = withUnsafeBytes(of: &sixteen) { Array($0) }
    } else {
      return nil
    }
  }

  /// The address in a `sockaddr`; nil for families other than IPv4 and IPv6.
  package init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
      }
    case AF_INET6:
      bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
      }
    default: return nil
    }
  }

  /// The IPv4 address that this IPv6 address embeds: mapped (::ffff:0:0/96), compatible
  /// (::/96, RFC 4291), translated (::ffff:0:0:0/96, RFC 2765), NAT64 (64:ff9b::/96, RFC 6052) and
  /// 6to4 (2002::/16, RFC 3056).
  package var embedded: IPAddress? {
    guard bytes.count == 16 else { return nil }
    let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
    let tail = IPAddress(bytes: Array(bytes[12...]))
    if isZero(0..<10), bytes[10] == 0xFF, bytes[11] == 0xFF { return tail }
    if isZero(0..<8), bytes[8] == 0xFF, bytes[9] == 0xFF, isZero(10..<12) { return tail }
    // ::1 and its like are not compatible addresses.
    if isZero(0..<12), !isZero(12..<15) { return tail }
    if bytes[0...3].elementsEqual([0x00, 0x64, 0xFF, 0x9B]), isZero(4..<12) { return tail }
    if bytes[0] == 0x20, bytes[1] == 0x02 { return IPAddress(bytes: Array(bytes[2..<6])) }
    return nil
  }
}

extension IPAddress: CustomStringConvertible {
  package var description: String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(AF_INET6, bytes, &buffer, socklen_t(buffer.count))
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}

/// A block of addresses in CIDR notation (RFC 4632, RFC 4291).
package struct AddressBlock: Sendable, Hashable {
  package let address: IPAddress
  package let prefix: Int

  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(String(parts[0])), let prefix = Int(parts[1]),
      (0...address.bytes.count * 8).contains(prefix)
    else { return nil }
    self.address = address
    self.prefix = prefix
  }

  package func contains(_ other: IPAddress) -> Bool {
    // A block covers one family only; the policy extracts embedded IPv4 addresses itself.
    guard other.bytes.count == address.bytes.count else { return false }
    let whole = prefix / 8
    guard address.bytes[..<whole] == other.bytes[..<whole] else { return false }
    let rest = prefix % 8
    guard rest > 0 else { return true }
    return (address.bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
  }
}
