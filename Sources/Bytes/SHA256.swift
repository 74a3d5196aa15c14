private import TesseraCCrypto
private import TesseraCDeflate

/// A SHA-256 digest (FIPS 180-4) of bytes that arrive in parts, computed by OpenSSL.
///
/// A digest accepts parts until its value is read, and none after that.
package final class SHA256 {
  private let context: OpaquePointer?

  /// Fetched once: OpenSSL 3 would otherwise look the algorithm up under a lock for every digest.
  ///
  /// `nonisolated(unsafe)`: it is never changed or freed, and OpenSSL only reads it.
  private nonisolated(unsafe) static let algorithm =
    EVP_MD_fetch(nil, "SHA2-256", nil) ?? EVP_sha256()

  package init() {
    context = EVP_MD_CTX_new()
    let isReady = EVP_DigestInit_ex(context, Self.algorithm, nil) == 1
    // An empty digest would be the same for all content, and file names and keys are made from
    // digests.
    precondition(isReady, "OpenSSL does not provide SHA-256")
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds a part.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The value as 64 hexadecimal digits. May be read once.
  package func hexadecimal() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(context, &bytes, nil)
    return Self.hexadecimal(bytes)
  }

  /// The digest of a whole sequence of bytes.
  package static func of(_ bytes: [UInt8]) -> String {
    let digest = SHA256()
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.hexadecimal()
  }

  /// The digest of a text in UTF-8.
  package static func of(_ text: String) -> String { of(Array(text.utf8)) }

  // Digests are made by the million: `String(_:radix:)` for each byte would cost more than the
  // hash.
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

/// Digests and message authentication codes of short texts, computed by OpenSSL. For contents, see ``SHA256``.
package enum MessageDigest: String, Sendable, CaseIterable {
  case sha256, sha1, md5

  /// The digest (FIPS 180-4; RFC 1321).
  package func digest(of bytes: [UInt8]) -> [UInt8] {
    var value = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count = 0
    let isDone =
      EVP_Q_digest(nil, rawValue.uppercased(), nil, bytes, bytes.count, &value, &count) == 1
    // A signature of nothing would be the same for all texts.
    precondition(isDone, "OpenSSL does not provide \(rawValue)")
    return Array(value[..<count])
  }

  /// The keyed-hash message authentication code (RFC 2104). The key is not empty.
  package func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var value = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count = 0
    let isDone =
      EVP_Q_mac(
        nil, "HMAC", nil, rawValue.uppercased(), nil, key, key.count, bytes, bytes.count, &value,
        value.count, &count) != nil
    precondition(isDone, "OpenSSL does not provide HMAC with \(rawValue)")
    return Array(value[..<count])
  }
}

/// The 32-bit cyclic redundancy check of PNG (ISO/IEC 15948, annex D) and gzip (RFC 1952, section
/// 8).
package enum CRC32 {
  package static func of(_ bytes: [UInt8]) -> UInt32 {
    libdeflate_crc32(0, bytes, bytes.count)
  }
}
