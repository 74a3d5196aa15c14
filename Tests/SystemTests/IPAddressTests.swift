import Glibc
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// IP addresses, and blocks of them.
@Suite struct IPAddressTests {
  /// The bytes of an address, and how it is written (RFC 5952).
  @Test(
    arguments: [
      ("1.2.3.4", [1, 2, 3, 4], "1.2.3.4"), ("255.0.0.1", [255, 0, 0, 1], "255.0.0.1"),
      ("::", [UInt8](repeating: 0, count: 16), "::"),
      (
        "2001:DB8:0:0::1", [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1],
        "2001:db8::1"
      ),
    ] as [(String, [UInt8], String)])
  func readsStandardSpellings(_ text: String, _ bytes: [UInt8], _ written: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.bytes == bytes)
    #expect(IPAddress(bytes: bytes) == address)
    #expect("\(address)" == written)
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "0x7f.1", "2130706433", "a", "::1::",
    "[::1]",
    "::1%1", "1.2.3.4/8", ":",
  ])
  func rejectsOtherSpellings(_ text: String) { #expect(IPAddress(text) == nil) }

  @Test func readsTheAddressesOfConnections() {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_addr.s_addr = UInt32(0x0102_0304).bigEndian
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    inet_pton(AF_INET6, "2001:db8::7", &six.sin6_addr)
    func read<Address>(_ address: inout Address) -> IPAddress? {
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { IPAddress($0) }
      }
    }
    #expect(read(&four) == IPAddress("1.2.3.4"))
    #expect(read(&six) == IPAddress("2001:db8::7"))
    four.sin_family = sa_family_t(AF_UNIX)
    #expect(read(&four) == nil)
  }

  /// Each form of an address that leads to an IPv4 address, and its neighbours that do not.
  @Test(
    arguments: [
      ("::ffff:1.2.3.4", "1.2.3.4"), ("1::ffff:1.2.3.4", nil), ("::1:ffff:1.2.3.4", nil),
      ("::fffe:1.2.3.4", nil), ("::feff:1.2.3.4", nil), ("::ff:1.2.3.4", nil),
      ("::ffff:0:1.2.3.4", "1.2.3.4"), ("1::ffff:0:1.2.3.4", nil), ("::1:ffff:0:1.2.3.4", nil),
      ("::fffe:0:1.2.3.4", nil), ("::feff:0:1.2.3.4", nil), ("::ffff:1:1.2.3.4", nil),
      ("::1.2.3.4", "1.2.3.4"), ("::1:0:1.2.3.4", nil), ("::0.0.1.0", "0.0.1.0"),
      ("::0.1.0.0", "0.1.0.0"), ("::1.0.0.0", "1.0.0.0"), ("::1", nil), ("::0.0.0.255", nil),
      ("64:ff9b::1.2.3.4", "1.2.3.4"), ("64:ff9b:1::1.2.3.4", nil), ("64:ff9b::1:1.2.3.4", nil),
      ("65:ff9b::1.2.3.4", nil), ("164:ff9b::1.2.3.4", nil), ("64:ff9c::1.2.3.4", nil),
      ("64:fe9b::1.2.3.4", nil), ("2002:102:304::5", "1.2.3.4"), ("2003:102:304::5", nil),
      ("2102:102:304::5", nil), ("1.2.3.4", nil),
    ] as [(String, String?)])
  func someAddressesEmbedAnother(_ text: String, _ embedded: String?) throws {
    #expect(try #require(IPAddress(text)).embedded == embedded.flatMap { IPAddress($0) })
  }

  @Test(arguments: [
    "", "1.2.3.4", "1.2.3.4/", "/8", "1.2.3/8", "1.2.3.4/x", "1.2.3.4/8/8", "a/8", "1.2.3.4//8",
  ])
  func otherTextsAreNotBlocks(_ text: String) { #expect(AddressBlock(text) == nil) }

  @Test func aPrefixIsAtMostAsLongAsTheAddress() {
    expectMost(32) { AddressBlock("1.2.3.4/\($0)") != nil }
    expectMost(128) { AddressBlock("::1/\($0)") != nil }
    expectLeast(0) { AddressBlock("1.2.3.4/\($0)") != nil }
    #expect(AddressBlock("::1/64")?.prefix == 64)
    #expect(AddressBlock("::1/64")?.address == IPAddress("::1"))
  }

  /// A block has the addresses that differ from its own only behind the prefix.
  @Test(arguments: [4, 16])
  func aBlockComparesItsPrefix(_ count: Int) throws {
    var random = SplitMix(seed: 4)
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    let address = IPAddress(bytes: bytes)
    for prefix in 0...count * 8 {
      let block = try #require(AddressBlock("\(address)/\(prefix)"))
      #expect(block.contains(address))
      for bit in 0..<count * 8 {
        var other = bytes
        other[bit / 8] ^= 0x80 >> (bit % 8)
        #expect(block.contains(IPAddress(bytes: other)) == (bit >= prefix), "/\(prefix), \(bit)")
      }
    }
    // Of the other family it has none.
    let all = try #require(AddressBlock("\(address)/0"))
    #expect(!all.contains(IPAddress(bytes: [UInt8](repeating: 0, count: 20 - count))))
  }
}
