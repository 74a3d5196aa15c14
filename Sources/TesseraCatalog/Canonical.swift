extension CatalogValue {
  /// Appends the value as canonical JSON (RFC 8785): members by their names' UTF-16 code units, no blanks, and numbers
  /// as ECMAScript writes them. Integers of more than 53 bits keep all their digits, unlike there.
  func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .integer(let number): bytes += String(number).utf8
    case .number(let number): bytes += Self.spelled(number).utf8
    case .string(let text): Self.write(text, to: &bytes)
    case .array(let list):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in list.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      let names = members.keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
      for (index, name) in names.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        (members[name] ?? .null).write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += "\\b".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0..<0x20:
        bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A number as ECMAScript's Number::toString spells it, from the shortest digits that mean it, which Swift's own
  /// spelling has too, with the point elsewhere.
  static func spelled(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    if number == 0 { return "0" }
    if number < 0 { return "-" + spelled(-number) }
    let parts = "\(number)".split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
    var digits = Array((mantissa[0] + fraction).utf8)
    // The value is 0.DIGITS times ten to this power.
    var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.first == UInt8(ascii: "0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let text = String(decoding: digits, as: UTF8.self)
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    switch point {
    case digits.count...21 where point >= digits.count: return text + zeros(point - digits.count)
    case 1...21: return "\(text.prefix(point)).\(text.dropFirst(point))"
    case -5...0: return "0.\(zeros(-point))\(text)"
    default:
      let exponent = point - 1
      let rest = text.dropFirst()
      return
        "\(text.prefix(1))\(rest.isEmpty ? "" : ".")\(rest)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
  }

  /// Members that are there.
  init(members: KeyValuePairs<String, CatalogValue?>) {
    var present: [String: CatalogValue] = [:]
    for (name, value) in members { if let value { present[name] = value } }
    self = .object(present)
  }
}

extension Catalog {
  /// The catalog as canonical JSON (RFC 8785): the same catalog gives the same bytes, whatever it was read from.
  public func canonicalJSON() -> [UInt8] {
    guard case .object(var members) = headValue else { return [] }
    members["images"] = .array(images.map(\.value))
    var bytes: [UInt8] = []
    CatalogValue.object(members).write(to: &bytes)
    return bytes
  }

  /// The canonical JSON in two parts, between which that of the pictures goes with commas between them: of a catalog
  /// that is too large to be in memory.
  package var canonicalFrame: (before: ArraySlice<UInt8>, after: ArraySlice<UInt8>) {
    var head = self
    head.images = []
    let bytes = head.canonicalJSON()
    let mark = Array("\"images\":[".utf8)
    // No string holds a quote that is not escaped, so this is the member itself.
    let place = bytes.indices.first { bytes[$0...].starts(with: mark) } ?? 0
    return (bytes[..<(place + mark.count)], bytes[(place + mark.count)...])
  }

  /// Everything but the pictures.
  var headValue: CatalogValue {
    CatalogValue(members: [
      "schema": .string(schema),
      "generator": CatalogValue(members: [
        "name": .string(generator.name), "version": .string(generator.version),
        "libvips": .string(generator.libvips),
      ]),
      "pipeline": CatalogValue(members: [
        "name": .string(pipeline.name), "fingerprint": .string(pipeline.fingerprint),
      ]),
      "baseURL": baseURL.map { .string($0) },
      "slots": .object(
        slots.mapValues { slot in
          CatalogValue(members: [
            "width": slot.width.map { .integer($0) }, "height": slot.height.map { .integer($0) },
            "mode": .string(slot.mode.rawValue),
          ])
        }),
      "scales": .array(scales.map { .integer($0) }),
    ])
  }
}

extension CatalogImage {
  /// The picture's part of ``Catalog/canonicalJSON()``.
  package var canonicalJSON: [UInt8] {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    return bytes
  }

  var value: CatalogValue {
    let shows = status != .failed || !variants.isEmpty || !slots.isEmpty
    return CatalogValue(members: [
      "id": .string(id), "url": .string(url), "status": .string(status.rawValue),
      "width": width.map { .integer($0) }, "height": height.map { .integer($0) },
      "format": format.map { .string($0) }, "alpha": alpha.map { .bool($0) },
      "animated": animated.map { .bool($0) }, "frames": frames.map { .integer($0) },
      "error": error.map { error in
        CatalogValue(members: [
          "code": .string(error.code), "message": .string(error.message),
          "retryable": .bool(error.retryable),
        ])
      },
      "warnings": warnings.map { .array($0.map { .string($0) }) },
      "placeholder": placeholder.map { placeholder in
        CatalogValue(members: [
          "color": placeholder.color.map { .string($0) },
          "thumbhash": placeholder.thumbhash.map { .string($0) },
          "blurhash": placeholder.blurhash.map { .string($0) },
          "lqip": placeholder.lqip.map { .string($0) },
        ])
      },
      "variants": shows ? .array(variants.map(\.value)) : nil,
      "slots": shows
        ? .object(
          slots.mapValues { use in
            CatalogValue(members: [
              "width": .integer(use.width), "height": .integer(use.height),
              "variants": .array(use.variants.map { .integer($0) }),
            ])
          }) : nil,
      "source": source?.value, "extra": extra,
    ])
  }
}

extension CatalogVariant {
  fileprivate var value: CatalogValue {
    CatalogValue(members: [
      "path": .string(path), "type": .string(type), "width": .integer(width),
      "height": .integer(height), "bytes": .integer(bytes),
      "fallback": fallback.map { .string($0) }, "sha256": sha256.map { .string($0) },
      "also": also.map { also in
        .array(
          also.map { other in
            CatalogValue(members: [
              "path": .string(other.path), "type": .string(other.type),
              "bytes": .integer(other.bytes), "fallback": other.fallback.map { .string($0) },
              "sha256": other.sha256.map { .string($0) },
            ])
          })
      },
    ])
  }
}

extension CatalogSource {
  fileprivate var value: CatalogValue {
    CatalogValue(members: [
      "url": url.map { .string($0) }, "bytes": bytes.map { .integer($0) },
      "sha256": .string(sha256), "width": width.map { .integer($0) },
      "height": height.map { .integer($0) }, "orientation": orientation.map { .integer($0) },
      "colourSpace": colourSpace.map { .string($0) }, "profile": profile.map { .string($0) },
      "etag": etag.map { .string($0) }, "lastModified": lastModified.map { .string($0) },
      "robots": robots.map { .string($0) },
    ])
  }
}
