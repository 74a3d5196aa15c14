internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraPlan
internal import TesseraText

/// The types of the keys below `delivery`.

extension KeyType where Value == String {
  static var preset: KeyType {
    let names = DeliveryPresets.names
    return scalar(
      "one of \(names.joined(separator: ", "))",
      schema: ["enum": .array(names.map { .string($0) })],
      json: { $0.isEmpty ? nil : .string($0) }, parse: { names.contains($0) ? $0 : nil })
  }

  static var serviceURL: KeyType {
    scalar(
      "a URL, such as https://img.example.com", schema: ["type": "string"], json: JSONValue.string
    ) { text in
      guard SourceURL.isFetchable(text), !text.contains(where: { "?#".contains($0) }) else {
        return nil
      }
      return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
  }
}

extension KeyType where Value == Double {
  static var positive: KeyType {
    scalar(
      "a number above 0",
      schema: ["type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000],
      json: { .number($0 == $0.rounded() ? "\(Int($0))" : "\($0)") },
      parse: { Double($0).flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil } })
  }
}

extension KeyType where Value == DeliverySecret {
  /// A text with its position, because what it has to be follows from other keys.
  static var secret: KeyType {
    let text = KeyType<String>.scalar(
      "a text, such as \"${IMG_KEY}\"", schema: ["type": "string"], json: { _ in nil },
      parse: { $0.isEmpty ? nil : $0 })
    return KeyType(
      expected: text.expected, schema: { _ in text.schema("") },
      read: { node, place, _ in
        text.read(node, place, "").map { Value(text: $0, mark: node.mark) }
      }, json: { _ in nil })
  }
}

extension KeyType where Value == Template? {
  /// - Parameter allowed: the placeholders that have a value in this place.
  static func template(_ allowed: [Template.Name]) -> KeyType {
    KeyType(
      expected: "a template of URLs", schema: { _ in ["type": "string"] },
      read: { node, place, _ in
        let expected = "a template of URLs"
        guard let text = place.context.text(node, "\"\(place.name)\"", expected: expected) else {
          return nil
        }
        do throws(Template.Failure) {
          return .some(try Template(text, allowed: allowed))
        } catch {
          place.report(node.mark, "is wrong: \(error.message)")
          return nil
        }
      }, json: { $0.map { .string($0.text) } })
  }
}

extension KeyType where Value == [CatalogSlot.Mode: Template] {
  /// One template for all modes, or one for each.
  static func signed(_ allowed: [Template.Name]) -> KeyType {
    let one = KeyType<Template?>.template(allowed)
    let all = one.mapped(
      { template in template.map { [CatalogSlot.Mode.fit: $0] } ?? [:] }, from: { $0[.fit] })
    return .either(
      all,
      or: .group(
        CatalogSlot.Mode.allCases.map { Key($0.rawValue, one, \.[$0], "For \($0.rawValue).") },
        isOptional: false))
  }
}

extension KeyType {
  /// The service's word for each of some choices.
  static func words<Choice: RawRepresentable<String> & Hashable & Sendable>(
    of choices: [Choice]
  ) -> KeyType where Value == [Choice: String] {
    .group(
      choices.map {
        Key(
          $0.rawValue, .optional(.word("the service's word"), initial: ""), \.[$0],
          "For \($0.rawValue).")
      })
  }
}

extension KeyType where Value == ImageService.Words {
  static func words(keep: String, drop: String) -> KeyType {
    .group([
      Key(keep, .word("the service's word"), \.keep, "For \(keep)."),
      Key(drop, .word("the service's word"), \.drop, "For \(drop)."),
    ])
  }
}

extension KeyType where Value == Set<String> {
  /// Formats of sources, as the catalog names them.
  static var formatNames: KeyType {
    KeyType<[ImageFormat]>.list(of: .choice, initial: .jpeg).mapped(
      { Set($0.map(\.rawValue)) },
      from: { names in ImageFormat.allCases.filter { names.contains($0.rawValue) } })
  }
}

extension KeyType where Value == [OutputFormat: Int] {
  /// One number for all formats, or one for each of some.
  static func perFormat(_ number: KeyType<Int>) -> KeyType {
    .either(
      .scalar(
        "\(number.expected), or a group by format", schema: number.schema(1), json: { _ in nil }
      ) { text in
        number.parse?(text, "").map { number in
          Dictionary(uniqueKeysWithValues: OutputFormat.allCases.map { ($0, number) })
        }
      },
      or: .group(
        OutputFormat.allCases.map {
          Key($0.rawValue, .optional(number, initial: 1), \.[$0], "For \($0.rawValue).")
        }, isOptional: false))
  }
}

extension KeyType where Value == ServiceSignature {
  static var signature: KeyType {
    .group([
      Key("algorithm", .choice, \.algorithm, "Of the digest or code."),
      Key(
        "of", .template([.signed, .key, .salt]), \.of,
        "What is signed: of {signed}, {key} and {salt}."),
      Key("key-encoding", .choice, \.keyEncoding, "How key and salt are written."),
      Key("encoding", .choice, \.encoding, "How the signature is written."),
      Key("padding", .bool, \.isPadded, "Whether base64 ends with \"=\"."),
      Key(
        "length", .optional(.int(1...128), initial: 1), \.length,
        "At most this many characters of it."),
      Key(
        "unsigned", .word("what stands for a signature"), \.unsigned,
        "Stands for the signature if there is no key."),
    ]) { signature, group in
      if signature.of != nil { return signature }
      group.context.report(
        group.mark, "\"delivery.signature.of\" is missing: what is signed, such as \"{signed}\"")
      return nil
    }
  }
}
