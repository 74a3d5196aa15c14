internal import TesseraBytes
internal import TesseraText

/// How a service recognises URLs that its owner made.
package struct ServiceSignature: Sendable, Equatable {
  package enum Algorithm: String, Sendable, CaseIterable {
    case hmacSHA256 = "hmac-sha256"
    case hmacSHA1 = "hmac-sha1"
    case sha256, sha1, md5

    fileprivate var digest: MessageDigest {
      switch self {
      case .hmacSHA256, .sha256: .sha256
      case .hmacSHA1, .sha1: .sha1
      case .md5: .md5
      }
    }

    /// Whether the key is that of a code, and not a part of the text.
    package var isKeyed: Bool { self == .hmacSHA256 || self == .hmacSHA1 }
  }

  package enum Encoding: String, Sendable, CaseIterable {
    case hex, base64, base64url
  }

  package enum KeyEncoding: String, Sendable, CaseIterable {
    case text, hex
  }

  package var algorithm = Algorithm.hmacSHA256
  /// What is signed: of `{signed}`, `{key}` and `{salt}`.
  package var of: Template?
  package var keyEncoding = KeyEncoding.text
  package var encoding = Encoding.base64url
  /// Whether base64 ends with "=".
  package var isPadded = false
  /// At most this many characters of the encoded signature; nil for all.
  package var length: Int?
  /// Stands in the place of the signature if there is no key; empty for nothing.
  package var unsigned = ""

  package init() {}

  /// The signature of a part of a URL.
  ///
  /// - Parameters:
  ///   - key: the bytes of the key; nil for a service that is used without signatures.
  package func value(of signed: String, key: [UInt8]?, salt: [UInt8]) -> String {
    guard let key, let of else { return unsigned }
    // A key may be any bytes, which a text can't hold: each goes in at its mark.
    let marked = of.expand { $0 == .key ? Self.mark(1) : $0 == .salt ? Self.mark(2) : signed }
    var text: [UInt8] = []
    for byte in marked.utf8 {
      switch byte {
      case 1: text += key
      case 2: text += salt
      default: text.append(byte)
      }
    }
    let digest = algorithm.digest
    let value = algorithm.isKeyed ? digest.code(of: text, key: key) : digest.digest(of: text)
    let encoded =
      switch encoding {
      case .hex: Hexadecimal.encode(value)
      case .base64: Base64.encode(value, isPadded: isPadded)
      case .base64url: Base64.encodeForURLs(value, isPadded: isPadded)
      }
    return String(encoded.prefix(length ?? .max))
  }

  /// A control character, which no URL has.
  private static func mark(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }

  /// The bytes of a key as it is written; nil if it is not in the encoding.
  package func bytes(ofKey text: String) -> [UInt8]? {
    keyEncoding == .hex ? Hexadecimal.decode(text) : Array(text.utf8)
  }
}
