import TesseraBytes
import Testing

@Suite struct SHA256Tests {
  /// NIST's examples for FIPS 180-4, and the empty message.
  static let vectors: [(message: String, digest: String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ]

  @Test(arguments: vectors)
  func digestsMatchTheStandard(_ message: String, _ digest: String) {
    #expect(SHA256.of(message) == digest)
  }

  /// However a message is divided, its digest is the same.
  @Test(arguments: vectors, [1, 3, 55, 64])
  func digestsDoNotDependOnTheParts(_ vector: (message: String, digest: String), _ size: Int) {
    let bytes = Array(vector.message.utf8)
    let digest = SHA256()
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { digest.update($0) }
    }
    #expect(digest.hexadecimal() == vector.digest)
  }

  /// The long example of the standard: a million times "a".
  @Test func aLongMessage() {
    let part = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    let digest = SHA256()
    for _ in 0..<1000 { part.withUnsafeBytes { digest.update($0) } }
    #expect(
      digest.hexadecimal()
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }
}
