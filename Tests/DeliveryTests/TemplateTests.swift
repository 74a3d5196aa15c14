import TesseraBytes
import TesseraPlan
import Testing

/// The language of templates.
@Suite struct TemplateTests {
  private static let url = "https://a.example/b c?d=1&e=ü"

  @Test(arguments: [
    ("/{width}x{height}", "/36x24"),
    ("{url}", "https%3A%2F%2Fa.example%2Fb%20c%3Fd%3D1%26e%3D%C3%BC"),
    ("{+url}", url), ("{url:path}", "https://a.example/b%20c%3Fd%3D1%26e%3D%C3%BC"),
    ("{url:base64url}", "aHR0cHM6Ly9hLmV4YW1wbGUvYiBjP2Q9MSZlPcO8"),
    ("a[/q:{quality}]b", "ab"), ("a[/w:{width}]b", "a/w:36b"), ("a[[{quality}]{width}]b", "a36b"),
    ("a[{width}[{quality}]]b", "a36b"), ("a[{width}{quality}]b", "ab"), ("[plain]", "plain"),
    ("", ""),
    ("{quality}", ""),
  ])
  func valuesTakeThePlaceOfNames(_ text: String, _ expected: String) throws {
    let template = try Template(text, allowed: [.width, .height, .url, .quality])
    let values: [Template.Name: String] = [.width: "36", .height: "24", .url: Self.url]
    #expect(template.expand { values[$0] ?? "" } == expected)
  }

  @Test(arguments: [
    ("{width", "\"{\" is never closed"), ("[a", "\"[\" is never closed"),
    ("a]", "\"]\" closes nothing"),
    ("a}", "\"}\" closes nothing"),
    ("{wdith}", "it has no placeholder \"{wdith}\"; there are {url}, {width}"),
    ("{key}", "it has no placeholder \"{key}\"; there are {url}, {width}"),
    ("{}", "it has no placeholder \"{}\"; there are {url}, {width}"),
    (
      "{+width}",
      "\"{+width}\" has no such form; there are {url}, {+url}, {url:path}, {url:base64url}"
    ),
    (
      "{url:rot13}",
      "\"{url:rot13}\" has no such form; there are {url}, {+url}, {url:path}, {url:base64url}"
    ),
    (
      "{+url:path}",
      "\"{+url:path}\" has no such form; there are {url}, {+url}, {url:path}, {url:base64url}"
    ),
  ])
  func mistakesAreNamed(_ text: String, _ message: String) {
    #expect {
      try Template(text, allowed: [.url, .width])
    } throws: {
      ($0 as? Template.Failure)?.message == message
    }
  }
}

/// Signatures that the services publish as examples.
@Suite struct SignatureTests {
  private static func value(
    _ signature: ServiceSignature, _ signed: String, key: String, salt: String = ""
  ) -> String {
    signature.value(
      of: signed, key: signature.bytes(ofKey: key), salt: signature.bytes(ofKey: salt) ?? [])
  }

  private static func signature(
    _ algorithm: ServiceSignature.Algorithm, _ of: String, _ encoding: ServiceSignature.Encoding,
    padding: Bool = false, length: Int? = nil
  ) throws -> ServiceSignature {
    var signature = ServiceSignature()
    signature.algorithm = algorithm
    signature.of = try Template(of, allowed: [.signed, .key, .salt])
    signature.encoding = encoding
    signature.isPadded = padding
    signature.length = length
    return signature
  }

  @Test func imgproxy() throws {
    var signature = try Self.signature(.hmacSHA256, "{salt}{signed}", .base64url)
    signature.keyEncoding = .hex
    let path =
      "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    #expect(
      Self.value(signature, path, key: "736563726574", salt: "68656C6C6F")
        == "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8")
  }

  @Test func thumbor() throws {
    let signature = try Self.signature(.hmacSHA1, "{signed}", .base64url, padding: true)
    #expect(
      Self.value(
        signature, "300x200/my.server.com/path/to/image.jpg", key: "my-security-key")
        == "1PhvYakIA8xk5ph8tZXoZiHaOPs=")
  }

  @Test(arguments: [
    ("/users/1.png", "6797c24146142d5b40bde3141fd3600c"),
    ("/users/1.png?w=400&h=300", "c7b86f666a832434dd38577e38cf86d1"),
  ])
  func imgix(_ path: String, _ expected: String) throws {
    let signature = try Self.signature(.md5, "{key}{signed}", .hex)
    #expect(Self.value(signature, path, key: "FOO123bar") == expected)
  }

  @Test(arguments: [
    ("c_crop,h_20,w_10/image.jpg", "Ai4Znfl3"), ("http://google.com/path/to/image.png", "hH_YcbiS"),
  ])
  func cloudinary(_ rest: String, _ expected: String) throws {
    let signature = try Self.signature(.sha1, "{signed}{key}", .base64url, length: 8)
    #expect(Self.value(signature, rest, key: "b") == expected)
  }

  @Test func withoutAKeyAWordStandsForTheSignature() throws {
    var signature = try Self.signature(.sha256, "{signed}", .base64)
    signature.unsigned = "unsafe"
    #expect(signature.value(of: "a", key: nil, salt: []) == "unsafe")
  }

  /// RFC 4231 and RFC 2202, test case 2; FIPS 180-4 and RFC 1321, "abc".
  @Test func digestsAndCodes() {
    func hexadecimal(_ bytes: [UInt8]) -> String {
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    let text = Array("what do ya want for nothing?".utf8)
    #expect(
      hexadecimal(MessageDigest.sha256.code(of: text, key: Array("Jefe".utf8)))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hexadecimal(MessageDigest.sha1.code(of: text, key: Array("Jefe".utf8)))
        == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    let abc = Array("abc".utf8)
    #expect(hexadecimal(MessageDigest.md5.digest(of: abc)) == "900150983cd24fb0d6963f7d28e17f72")
    #expect(
      hexadecimal(MessageDigest.sha1.digest(of: abc)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(
      hexadecimal(MessageDigest.sha256.digest(of: abc))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
