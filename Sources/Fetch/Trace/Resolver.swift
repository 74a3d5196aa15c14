internal import Glibc
// For SOCK_STREAM, which its headers declare first in a build with the static standard library.
private import TesseraCCurl
internal import TesseraCurl

/// The system's resolution of names, which libcurl uses, too.
enum Resolver {
  /// The addresses of a host, or the one that it spells; empty if there are none. Blocks its thread.
  static func addresses(of host: String) -> [IPAddress] {
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if let address = IPAddress(name) { return [address] }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [IPAddress] = []
    var entry = list
    while let current = entry {
      if let address = current.pointee.ai_addr.flatMap({ IPAddress($0) }) { found.append(address) }
      entry = current.pointee.ai_next
    }
    return found
  }
}
