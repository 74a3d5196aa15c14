internal import TesseraJSON

extension Catalog {
  /// The catalog as canonical JSON (RFC 8785), without ``digest`` and without the number of images. Equal catalogs
  /// have equal bytes, whichever form they were read from.
  ///
  /// Members that this version does not know are not in it, so for a catalog of a later version its SHA-256 is
  /// another than ``digest``; see ``CatalogReader/init(hashing:)``.
  public func canonicalJSON() -> [UInt8] {
    var catalog = self
    catalog.digest = nil
    var bytes: [UInt8] = []
    catalog.tree.appendCanonicalJSON(to: &bytes)
    return bytes
  }
}

extension Catalog {
  /// The catalog as JSON with its ``digest`` and the number of its images, which come last: what an app stores of a catalog
  /// that it has read or patched, so that the next patch applies to it.
  public func json() -> [UInt8] {
    var head = self
    head.images = []
    guard case .object(var members) = head.tree else { return [] }
    members["images"] = nil
    members["count"] = .integer(images.count)
    var bytes: [UInt8] = []
    CatalogValue.object(members).appendCanonicalJSON(to: &bytes)
    bytes.removeLast()
    bytes += ",\"images\":".utf8
    CatalogValue.array(images.map(\.tree)).appendCanonicalJSON(to: &bytes)
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// The ``digest`` of the catalog as it is now: SHA-256 of ``canonicalJSON()``, in hexadecimal.
  ///
  ///     let isWhole = catalog.contentDigest { SHA256.hash(data: $0) } == catalog.digest  // of CryptoKit
  ///
  /// - Parameter sha256: the hash function that the app has; its 32 bytes.
  public func contentDigest(_ sha256: (_ bytes: [UInt8]) -> some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for byte in sha256(canonicalJSON()) {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }
}

extension CatalogValue {
  /// Appends the value as canonical JSON (RFC 8785).
  func appendCanonicalJSON(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .integer(let number): bytes += String(number).utf8
    case .number(let number): bytes += JSONCanonical.text(of: number).utf8
    case .string(let text): JSONCanonical.append(text, to: &bytes)
    case .array(let list):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in list.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.appendCanonicalJSON(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      let names = members.keys.sorted(by: JSONCanonical.precedes)
      for (index, name) in names.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONCanonical.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        (members[name] ?? .null).appendCanonicalJSON(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
