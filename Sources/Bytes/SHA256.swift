private import TesseraCCrypto

/// SHA-256 (FIPS 180-4) of bytes that come in parts, through OpenSSL.
///
/// One digest takes parts until its value is asked for, and none after.
package final class SHA256 {
  private let context: OpaquePointer?

  /// Looked up once: OpenSSL 3 would look it up under a lock with every digest.
  ///
  /// `nonisolated(unsafe)`: it is never changed or freed, and OpenSSL only reads it.
  private nonisolated(unsafe) static let algorithm =
    EVP_MD_fetch(nil, "SHA2-256", nil) ?? EVP_sha256()

  package init() {
    context = EVP_MD_CTX_new()
    // A digest of nothing would be the same for all: names, keys and catalogs are made of them.
    let isReady = EVP_DigestInit_ex(context, Self.algorithm, nil) == 1
    precondition(isReady, "OpenSSL gives no SHA-256")
  }

  deinit { EVP_MD_CTX_free(context) }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// 64 hexadecimal digits. To be asked for once.
  package func hexadecimal() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(context, &bytes, nil)
    return Self.hexadecimal(bytes)
  }

  package static func of(_ bytes: [UInt8]) -> String {
    let digest = SHA256()
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.hexadecimal()
  }

  package static func of(_ text: String) -> String { of(Array(text.utf8)) }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    func digit(_ value: UInt8) -> UInt8 {
      value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
    return String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for (index, byte) in bytes.enumerated() {
        text[index * 2] = digit(byte >> 4)
        text[index * 2 + 1] = digit(byte & 15)
      }
      return bytes.count * 2
    }
  }
}
