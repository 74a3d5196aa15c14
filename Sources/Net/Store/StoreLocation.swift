internal import TesseraText

/// A place in an object store: `s3://bucket/prefix`.
package struct StoreLocation: Sendable, Hashable, CustomStringConvertible {
  package var bucket: String
  /// The key of an object, or the beginning of several objects' keys; without a slash at either end.
  package var key: String

  package init(bucket: String, key: String) {
    self.bucket = bucket
    self.key = key
  }

  /// Nil for a text that does not begin with `s3://`, does not name a bucket, or has a key that no request
  /// would reach.
  package init?(_ text: String) {
    guard text.hasPrefix("s3://") else { return nil }
    let parts = text.dropFirst(5).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let isName = parts[0].utf8.allSatisfy { byte in
      PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: "~")
    }
    guard isName, (1...255).contains(parts[0].utf8.count) else { return nil }
    bucket = String(parts[0])
    var rest = parts.count > 1 ? parts[1] : ""
    while rest.hasSuffix("/") { rest.removeLast() }
    while rest.hasPrefix("/") { rest.removeFirst() }
    key = String(rest)
    guard !hasDotSegments else { return nil }
  }

  /// Whether a part of the key is `.` or `..`: libcurl and proxies resolve these, and another object would be
  /// requested. (CURLOPT_PATH_AS_IS prevents it, but newer versions reject that for signed requests.)
  package var hasDotSegments: Bool {
    key.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  package var description: String { key.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(key)" }

  /// An object below this one.
  package func appending(_ path: String) -> StoreLocation {
    StoreLocation(bucket: bucket, key: key.isEmpty ? path : "\(key)/\(path)")
  }

  /// A text as it is signed and sent: every byte but A–Z, a–z, 0–9, `-`, `.`, `_`, `~` is %XX, with
  /// digits in upper case (AWS Signature Version 4). Some servers accept less, none asks for more.
  static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
    PercentEncoding.encode(text, keeping: keepingSlashes ? "/" : "")
  }
}
