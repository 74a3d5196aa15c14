internal import TesseraBytes

/// The keys of records: the first 128 bits of SHA-256 of a text, in hexadecimal.
///
/// As many as in the names of files: to find another text with the key of a given one takes 2^128 attempts. Of the bytes of a
/// source, all 256 bits are kept.
package enum RecordKey {
  static let digits = 32

  package static func of(_ text: String) -> String { String(SHA256.of(text).prefix(digits)) }
}
