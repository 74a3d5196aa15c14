internal import TesseraJSON

extension Catalog {
  /// The catalog as canonical JSON (RFC 8785), without ``digest`` and without the number of images. Equal catalogs
  /// have equal bytes, whichever form they were read from.
  ///
  /// Members that this version does not know are not in it, so for a catalog of a later version its SHA-256 is
  /// another than ``digest``; see ``CatalogReader/init(hashing:)``.
  public func canonicalJSON() -> [UInt8] {
    var members = headTree
    members["digest"] = nil
    let names = members.keys + ["images"]
    return json(of: members, inOrder: names.sorted(by: JSONCanonical.precedes))
  }
}

extension Catalog {
  /// The catalog as JSON with its ``digest`` and the number of its images, which come last: what an app stores of a catalog
  /// that it has read or patched, so that the next patch applies to it.
  public func json() -> [UInt8] {
    var members = headTree
    members["count"] = .integer(images.count)
    let names = members.keys.sorted(by: JSONCanonical.precedes)
    return json(of: members, inOrder: names + ["images"])
  }

  private func json(of members: [String: CatalogValue], inOrder names: [String]) -> [UInt8] {
    var bytes = [UInt8(ascii: "{")]
    for name in names {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      JSONCanonical.append(name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      if let value = members[name] {
        value.appendCanonicalJSON(to: &bytes)
        continue
      }
      bytes.append(UInt8(ascii: "["))
      for place in images.indices {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        images[place].appendCanonicalJSON(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// The ``digest`` of the catalog as it is now: SHA-256 of ``canonicalJSON()``, in hexadecimal.
  ///
  ///     let isWhole = catalog.contentDigest { SHA256.hash(data: $0) } == catalog.digest  // of CryptoKit
  ///
  /// - Parameter sha256: the hash function that the app has; its 32 bytes.
  public func contentDigest(_ sha256: (_ bytes: [UInt8]) -> some Sequence<UInt8>) -> String {
    Self.hexadecimal(sha256(canonicalJSON()))
  }

  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }
}

extension CatalogImage {
  /// Appends the image as canonical JSON. To write its line and put the members in order takes a fraction of the time of a
  /// tree.
  fileprivate func appendCanonicalJSON(to bytes: inout [UInt8]) {
    let extra = extra.map { extra in
      var text: [UInt8] = []
      extra.appendCanonicalJSON(to: &text)
      return String(decoding: text, as: UTF8.self)
    }
    var scanner = JSONScanner(line(extra: extra))
    let start = bytes.count
    do throws(JSONScanner.Failure) {
      try scanner.canonical(to: &bytes)
    } catch {
      // An `extra` that a program has made may nest deeper than one that was read.
      bytes.removeSubrange(start...)
      tree.appendCanonicalJSON(to: &bytes)
    }
  }
}

extension CatalogValue {
  /// Appends the value as canonical JSON (RFC 8785).
  package func appendCanonicalJSON(to bytes: inout [UInt8]) {
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
