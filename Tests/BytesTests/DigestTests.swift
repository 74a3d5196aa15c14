import TesseraBytes
import Testing

/// Digests and codes of short texts, by the examples of their standards.
@Suite struct DigestTests {
  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// FIPS 180-4; RFC 3174 and RFC 1321, both for "abc", and all of them for no bytes.
  @Test(arguments: [
    (
      MessageDigest.sha256, "abc",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    ),
    (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
    (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
  ])
  func digests(_ kind: MessageDigest, _ text: String, _ digest: String) {
    #expect(Self.hexadecimal(kind.digest(of: Array(text.utf8))) == digest)
  }

  /// RFC 4231 and RFC 2202, test case 2: the key is "Jefe".
  @Test(arguments: [
    (
      MessageDigest.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"), (.md5, "750c783e6ab0b503eaa86e310a5db738"),
  ])
  func codes(_ kind: MessageDigest, _ code: String) {
    let text = Array("what do ya want for nothing?".utf8)
    #expect(Self.hexadecimal(kind.code(of: text, key: Array("Jefe".utf8))) == code)
    #expect(Self.hexadecimal(kind.code(of: text, key: Array("jefe".utf8))) != code)
  }

  @Test func kindsAreNamed() {
    #expect(MessageDigest.allCases.map(\.rawValue) == ["sha256", "sha1", "md5"])
  }

  /// A digest of a text is that of its bytes in UTF-8.
  @Test func aTextIsItsBytes() {
    #expect(SHA256.of("é") == SHA256.of([0xC3, 0xA9] as [UInt8]))
  }
}
