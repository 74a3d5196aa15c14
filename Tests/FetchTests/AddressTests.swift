import TesseraNet
import TesseraTestSupport
import Testing

@Suite struct AddressTests {
  /// Addresses that are not on the public internet, in many spellings.
  @Test(
    .faults(.n19),
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255",
      "127.0.0.1", "127.255.255.254", "169.254.0.1", "169.254.169.254", "172.16.0.1",
      "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255",
      "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255",
      "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::7f00:1", "::ffff:127.0.0.1",
      "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1",
      "0:0:0:0:0:ffff:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1",
      "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1",
      "2001:0:4136:e378:8000:63bf:3fff:fdd2",
      "2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::", "2002:a9fe:a9fe::",
      "2002:c0a8:101::1", "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1",
      "fec0::1", "ff02::1", "ff0e::1", "8000::1",
    ])
  func rejectsSpecialAddresses(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!AddressPolicy().permits(address))
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.1", "172.15.0.1",
    "172.32.0.1", "192.167.1.1", "198.17.255.255", "198.20.0.1", "223.255.255.255",
    "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "::ffff:8.8.8.8", "64:ff9b::808:808",
    "2002:808:808::1",
  ])
  func permitsThePublicInternet(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressPolicy().permits(address))
  }

  @Test(arguments: [
    ("loopback", "127.0.0.1", true), ("loopback", "::1", true),
    ("loopback", "::ffff:127.0.0.1", true),
    ("loopback", "10.0.0.1", false), ("private", "10.0.0.1", true), ("private", "fd00::1", true),
    ("private", "169.254.169.254", false), ("private", "127.0.0.1", false),
    ("10.1.0.0/16", "10.1.2.3", true), ("10.1.0.0/16", "10.2.0.1", false),
    ("10.1.128.0/17", "10.1.127.255", false), ("169.254.169.254/32", "169.254.169.254", true),
    ("everything", "10.0.0.1", false),
  ])
  func allowsTheConfiguredBlocks(_ entry: String, _ text: String, _ isPermitted: Bool) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressPolicy(allow: [entry]).permits(address) == isPermitted)
  }

  /// The metadata services of clouds are rejected in every spelling, whatever words are allowed; only
  /// a CIDR block that contains the address permits it (N49).
  @Test(
    .faults(.n49),
    arguments: [
      ("169.254.169.254", "169.254.0.0/16"), ("169.254.170.2", "169.254.170.2/32"),
      ("169.254.170.23", "169.254.170.0/24"), ("169.254.42.42", "169.254.42.42/32"),
      ("169.254.0.23", "169.254.0.23/32"), ("168.63.129.16", "168.63.129.16/32"),
      ("100.100.100.200", "100.64.0.0/10"), ("192.0.0.192", "192.0.0.0/24"),
      ("fd00:ec2::254", "fd00:ec2::254/128"), ("fd00:ec2::23", "fd00:ec2::/32"),
      ("fd20:ce::254", "fd20:ce::/32"), ("fd00:c1::a9fe:a9fe", "fd00:c1::/32"),
      ("fd00:42::42", "fd00:42::42/128"), ("fd00:a9fe:a9fe::1", "fc00::/7"),
      ("fd00:100::100:200", "fd00::/8"), ("fe80::a9fe:a9fe", "fe80::/10"),
    ])
  func permitsMetadataServicesOnlyByTheirOwnBlock(_ text: String, _ block: String) throws {
    let address = try #require(IPAddress(text))
    let isFour = address.bytes.count == 4
    let digits = address.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let spellings =
      isFour
      ? [
        "::ffff:\(text)", "::ffff:0:\(text)", "::\(text)", "64:ff9b::\(text)",
        "2002:\(digits[0])\(digits[1]):\(digits[2])\(digits[3])::1",
      ] : []
    for spelling in [text] + spellings {
      let address = try #require(IPAddress(spelling))
      #expect(!AddressPolicy().permits(address), "\(spelling)")
      #expect(!AddressPolicy(allow: ["private", "loopback"]).permits(address), "\(spelling)")
      #expect(AddressPolicy(allow: [block]).permits(address), "\(spelling)")
      #expect(AddressPolicy.permission(for: address) == "\"\(text)/\(isFour ? 32 : 128)\"")
    }
  }

  @Test(arguments: [
    ("127.0.0.1", "loopback"), ("::ffff:10.0.0.1", "private"),
    ("169.254.169.254", "\"169.254.169.254/32\""), ("fe80::1", "\"fe80::1/128\""),
  ])
  func namesTheEntryThatPermitsAnAddress(_ text: String, _ permission: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressPolicy.permission(for: address) == permission)
  }
}
