private import TesseraCCrypto

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
