import TesseraCatalog
import TesseraPlan
import Testing

@testable import TesseraDelivery

/// What fingerprints have of a service, and the parts of signatures.
@Suite struct ServiceIdentityTests {
  private static func service() throws -> ImageService {
    var service = ImageService()
    service.base = "s:"
    service.template = try Template(
      "{format}{mode}{width}x{height},{x},{y},[{left}-{top}-{right}-{bottom},]{metadata}"
        + "{animation}{quality} {+url}",
      allowed: Template.Name.allCases)
    service.formats = [.png: "p", .webp: "w"]
    service.modes = [.fit: "a", .fill: "b", .clip: "c"]
    (service.metadata.keep, service.metadata.drop) = ("k", "s")
    service.limits.formats = [.webp, .png]
    service.limits.longestSides = [.webp: 4_000]
    service.limits.areas = [.png: 9_000_000]
    return service
  }

  @Test func theIdentityHasSamplesOfAllURLs() throws {
    var service = try Self.service()
    func samples(_ format: String) -> [String] {
      ["a400x300,,,", "b400x300,,,", "c300x200,0.125,0.875,10-20-3010-2020,"].flatMap { box in
        [1, 80, 100].flatMap { quality in
          ["s", "k"].map {
            "s:\(format)\(box)\($0)\(quality) https://source.example/a/b.jpg?c=d"
          }
        }
      }
    }
    #expect(
      service.identity
        == samples("w") + ["limits webp 4000 0"] + samples("p") + [
          "limits png 0 9000000", "service widths [] crops true",
          "animations false files false source 0",
        ])
    service.limits.crops = false
    service.limits.widths = [300, 400]
    service.limits.longestSides = [:]
    (service.keepsAnimations, service.makesFiles, service.sourcePixels) = (true, true, 7)
    service.formats[.webp] = nil
    // A crop that the service does not make has no URL.
    let whole = Array(samples("p").prefix(12)) + [String](repeating: "", count: 6)
    #expect(
      service.identity
        == whole + [
          "limits png 0 9000000", "service widths [300, 400] crops false",
          "animations true files true source 7",
        ])
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
