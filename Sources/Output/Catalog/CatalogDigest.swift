internal import TesseraBytes
internal import TesseraJSON
internal import TesseraSystem

/// The digest of a catalog that is being written, or of one of its pages: SHA-256 of its canonical form (RFC 8785) without
/// `count` and `digest`.
final class CatalogDigest {
  private let sum = SHA256()
  /// What follows the images.
  private let rest: [UInt8]
  private var isEmpty = true

  /// - Parameter head: everything but the images.
  init(head: [UInt8]) throws(SystemError) {
    let frame = try Self.located { () throws(JSONScanner.Failure) in
      try JSONCanonical.frame(of: head, around: "images", without: ["count", "digest"])
    }
    rest = frame.after
    add(bytes: frame.before)
  }

  /// The canonical form of an image.
  static func canonical(_ line: [UInt8]) throws(SystemError) -> [UInt8] {
    try located { () throws(JSONScanner.Failure) in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(line.count)
      var scanner = JSONScanner(line)
      try scanner.canonical(to: &bytes)
      return bytes
    }
  }

  /// Adds an image in its canonical form.
  func add(_ canonical: [UInt8]) {
    if !isEmpty { add(bytes: [UInt8(ascii: ",")]) }
    isEmpty = false
    add(bytes: canonical)
  }

  private func add(bytes: [UInt8]) { bytes.withUnsafeBytes { sum.update($0) } }

  /// The digest, after the last image. May be read once.
  func hexadecimal() -> String {
    add(bytes: rest)
    return sum.hexadecimal()
  }

  /// A line comes from a record with a checksum, so that it is not JSON is damage.
  private static func located<Value>(
    _ body: () throws(JSONScanner.Failure) -> Value
  ) throws(SystemError) -> Value {
    do throws(JSONScanner.Failure) {
      return try body()
    } catch {
      throw .damaged("catalog", error.message)
    }
  }
}
