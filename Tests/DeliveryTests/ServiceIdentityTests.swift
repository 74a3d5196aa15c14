import TesseraCatalog
import Testing

@testable import TesseraPlan

/// What fingerprints have of a service's secrets, and the parts of templates and signatures.
@Suite struct ServiceIdentityTests {
  @Test func secretsAreToldApartAndNotShown() {
    var service = ImageService()
    let bare = service.secretDigests
    service.key = [1, 2]
    let keyed = service.secretDigests
    service.salt = [1, 2]
    #expect(bare[0] == bare[1] && keyed[0] != bare[0] && keyed[1] == bare[1])
    #expect(service.secretDigests == [keyed[0], keyed[0]])
  }

  @Test func namesAreListedOnce() throws {
    let template = try Template(
      "{height}[{width}{height}]{url:path}{+url}", allowed: [.url, .height, .width])
    #expect(template.names == [.url, .width, .height])
    #expect(try Template("", allowed: []).names == [])
    #expect(try Template("a", allowed: []) != Template("b", allowed: []))
  }

  /// Other values than the source's URL are inserted as they are.
  @Test func onlyURLsAreEncoded() throws {
    let template = try Template(
      "{url}|{+url}|{url:path}|{url:base64url}|{mode}", allowed: [.url, .mode])
    #expect(
      template.expand { $0 == .url ? "a:/?ü+" : "a:/ü+" }
        == "a%3A%2F%3F%C3%BC%2B|a:/?ü+|a:/%3F%C3%BC%2B|YTovP8O8Kw|a:/ü+")
  }

  @Test(arguments: [
    (
      ServiceSignature.Algorithm.sha256, ServiceSignature.Encoding.base64, true,
      "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
    ),
    (.sha256, .base64, false, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0"),
    (.sha256, .base64url, true, "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0="),
    (.sha256, .base64url, false, "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"),
    (.md5, .hex, true, "900150983cd24fb0d6963f7d28e17f72"),
    (.sha1, .hex, false, "a9993e364706816aba3e25717850c26c9cd0d89d"),
  ])
  func digestsAreEncoded(
    _ algorithm: ServiceSignature.Algorithm, _ encoding: ServiceSignature.Encoding,
    _ isPadded: Bool,
    _ text: String
  ) throws {
    var signature = ServiceSignature()
    (signature.algorithm, signature.encoding, signature.isPadded) = (algorithm, encoding, isPadded)
    signature.of = try Template("{signed}", allowed: [.signed])
    #expect(signature.value(of: "abc", key: [], salt: []) == text)
    #expect(signature.isPadded == isPadded && !algorithm.isKeyed)
    for length in [1, 8, text.count, text.count + 1] {
      signature.length = length
      #expect(signature.value(of: "abc", key: [], salt: []) == text.prefix(length))
    }
  }

  /// A key may be any bytes, those of the marks for it among them.
  @Test func keysAreBytes() throws {
    var signature = ServiceSignature()
    (signature.algorithm, signature.encoding) = (.sha256, .hex)
    signature.of = try Template("{key}{signed}{salt}", allowed: [.signed, .key, .salt])
    #expect(
      signature.value(of: "a", key: [1, 2, 255], salt: [2, 1])
        == "5a8bdcb5e87b4d31cb29f7e539348b32c334ef6f10af32471296f5f7883a6f0f")
    // The key of a code is besides the text.
    signature.algorithm = .hmacSHA256
    signature.of = try Template("{signed}{salt}", allowed: [.signed, .salt])
    #expect(
      signature.value(of: "a", key: [1, 2, 255], salt: [2, 1])
        == "3ac3c38b6ea03d5947a3bd0ee9fb08f2a2f85fdb27d88db385e79bd00db20a0a")
    #expect(
      ServiceSignature.Algorithm.hmacSHA256.isKeyed && ServiceSignature.Algorithm.hmacSHA1.isKeyed)
  }

  @Test func keysAreWrittenInTheirEncoding() {
    var signature = ServiceSignature()
    #expect(signature == ServiceSignature())
    #expect(signature.algorithm == .hmacSHA256 && signature.encoding == .base64url)
    #expect(!signature.isPadded && signature.length == nil)
    #expect(signature.value(of: "a", key: [1], salt: []) == "")
    #expect(signature.bytes(ofKey: "0aFF") == Array("0aFF".utf8))
    signature.keyEncoding = .hex
    #expect(signature.bytes(ofKey: "0aFF") == [0x0A, 0xFF])
    for text in ["0a0", "0g", "é"] { #expect(signature.bytes(ofKey: text) == nil, "\(text)") }
  }
}
