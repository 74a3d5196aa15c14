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
