private import TesseraCCrypto
internal import TesseraFiles

/// SHA-256 (FIPS 180-4) of bytes that come in parts, through OpenSSL.
///
/// One digest takes parts until its value is asked for, and none after.
final class Digest {
  private let context: OpaquePointer?

  init() {
    context = EVP_MD_CTX_new()
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// 64 hexadecimal digits. To be asked for once.
  func hexadecimal() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(context, &bytes, nil)
    return Self.hexadecimal(bytes)
  }

  static func of(_ bytes: [UInt8]) -> String {
    let digest = Digest()
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.hexadecimal()
  }

  static func of(file path: String) throws(SystemError) -> String {
    let file = try File(path, .read)
    let digest = Digest()
    var offset = 0
    while true {
      let bytes = try file.read(1 << 20, at: offset)
      if bytes.isEmpty { return digest.hexadecimal() }
      bytes.withUnsafeBytes { digest.update($0) }
      offset += bytes.count
    }
  }

  static func of(_ text: String) -> String { of(Array(text.utf8)) }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
