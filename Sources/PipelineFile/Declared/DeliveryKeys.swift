internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraPlan
internal import TesseraText

/// A text with its position, because what it has to be follows from other keys.
struct DeliverySecret: Sendable {
  var text: String
  var mark: Mark
}

/// What `delivery` says: an image service, from a preset's keys and the pipeline's own ones in their place.
struct DeliveryKeys: Sendable {
  private var service = ImageService()
  private var preset = ""
  /// Before it is known how the service encodes keys.
  private var key: DeliverySecret?
  private var salt: DeliverySecret?

  /// What is known of a service.
  fileprivate init(_ service: ImageService) { self.service = service }

  /// All keys with their values, those of the preset among them. Of secrets, their digests.
  fileprivate var identity: JSONValue {
    [
      "keys": Self.type.json(self) ?? .null,
      "secrets": .array(service.secretDigests.map { .string($0) }),
    ]
  }

  // MARK: Keys of the pipeline alone

  private static let own: [Key<Self>] = [
    Key(
      "preset", .preset, \.preset, "A service that is known by name; other keys replace its own."),
    Key(
      "base", .optional(.serviceURL, initial: ""), \.service.base,
      "The URL of the service; without one, scheme and host of the source."),
    Key(
      "key", .optional(.secret, initial: DeliverySecret(text: "", mark: Mark(line: 1, column: 1))),
      \.key,
      "The key of signatures; from the environment: \"${IMG_KEY}\"."),
    Key(
      "salt", .optional(.secret, initial: DeliverySecret(text: "", mark: Mark(line: 1, column: 1))),
      \.salt,
      "The salt of signatures."),
    Key(
      "files", .bool, \.service.makesFiles,
      "true: the run makes files, too, and the catalog has both."),
    Key(
      "files-for", .list(of: .choice, initial: .oversized, isUnique: true), \.service.filesFor,
      "The run makes files of images that the service can't make: oversized, animated. Without, their variants are the source's own URL."
    ),
  ]

  // MARK: Keys that a preset has, too

  private static let shared: [Key<Self>] = [
    Key(
      "template", .template(Self.ofSource + [.signed, .signature]), \.service.template,
      "The form of a URL after the base."),
    Key(
      "signed", .signed(Self.ofSource), \.service.signed,
      "The part that a signature covers, or that differs between modes: {signed}."),
    Key(
      "modes", .words(of: CatalogSlot.Mode.allCases), \.service.modes,
      "The service's words for modes: {mode}. Without clip, it does not crop."),
    Key(
      "formats", .words(of: OutputFormat.allCases), \.service.formats,
      "The service's words for the formats that it makes: {format}."),
    Key(
      "metadata", .words(keep: "keep", drop: "strip"), \.service.metadata,
      "The service's words for metadata: {metadata}."),
    Key(
      "animation", .words(keep: "keep", drop: "first-frame"), \.service.animation,
      "The service's words for animations: {animation}."),
    Key("animations", .bool, \.service.keepsAnimations, "Whether animations survive."),
    Key(
      "focus",
      .group([
        Key(
          "kind", .choice, \.kind,
          "point: a point of the image. position: the place of the crop among all possible ones."),
        Key("scale", .positive, \.scale, "What stands for the right and lower edge."),
      ]), \.service.focus, "How {x} and {y} name what a crop keeps."),
    Key(
      "frames", .optional(.int(1...1_000_000), initial: 1), \.service.frames,
      "The most frames of an animation that survive."),
    Key(
      "crops-animations", .bool, \.service.limits.cropsAnimations,
      "Whether animations can be cropped. If not, clients crop them."),
    Key(
      "longest-side",
      .perFormat(.int(1...1_000_000, "a length of 1 to 1000000 pixels")),
      \.service.limits.longestSides, "The longest side of a result, in pixels."),
    Key(
      "pixels", .perFormat(.pixelCount()), \.service.limits.areas, "The largest area of a result."),
    Key(
      "source-bytes", .optional(.bytes("a size such as 20MB"), initial: 1),
      \.service.limits.source.bytes, "The largest source that the service reads."),
    Key(
      "source-pixels", .optional(.pixelCount(example: "50MP"), initial: 1),
      \.service.limits.source.pixels, "The largest area of a source that the service reads."),
    Key(
      "source-side", .optional(.int(1...1_000_000, "a length of 1 to 1000000 pixels"), initial: 1),
      \.service.limits.source.side, "The longest side of a source that the service reads."),
    Key(
      "source-frames", .optional(.int(1...1_000_000), initial: 1),
      \.service.limits.source.frames, "The most frames of a source that the service reads."),
    Key(
      "animation-pixels", .optional(.pixelCount(example: "50MP"), initial: 1),
      \.service.limits.source.animationPixels,
      "The largest animation that the service reads, all frames together."),
    Key(
      "source-formats", .formatNames, \.service.limits.source.formats,
      "The formats of sources that the service reads; all if none is named."),
    Key(
      "widths", .numbers(1...1_000_000), \.service.limits.widths,
      "The widths that the service makes; rounded up to."),
    Key(
      "qualities", .numbers(1...100), \.service.qualities,
      "The qualities that the service accepts; rounded up to."),
    Key(
      "signature", .optional(.signature, initial: ServiceSignature()), \.service.signature,
      "How URLs are signed."),
  ]

  private static var ofSource: [Template.Name] {
    Template.Name.allCases.filter { ![.key, .salt, .signed, .signature].contains($0) }
  }

  // MARK: The service

  fileprivate static let type = KeyType<Self>.group(own + shared)

  /// The service; nil if a mistake was reported.
  fileprivate static func service(_ node: YAMLNode, _ place: KeyPlace) -> ImageService? {
    var keys = DeliveryKeys(ImageService())
    let named = KeyGroup(node, at: place)
    // The preset's keys come first, so that the pipeline's own ones replace them.
    own[0].read(named, &keys)
    if let preset = DeliveryPresets.node(of: keys.preset) {
      keys = KeyType<Self>.group(shared).read(preset, place, keys) ?? keys
    }
    return type.read(node, place, keys)?.service(named)
  }

  /// The service, once everything about it is known.
  private func service(_ group: KeyGroup) -> ImageService? {
    guard let template = service.template else {
      if group.node("preset") == nil, group.node("template") == nil {
        group.context.report(
          group.mark,
          "\"delivery\" needs a preset (\(DeliveryPresets.names.joined(separator: ", "))) or a template of its own"
        )
      }
      return nil
    }
    let names = Set(template.names + service.signed.values.flatMap(\.names))
    if names.contains(.url), service.base == nil {
      group.context.report(
        group.mark,
        "\"delivery.base\" is missing: the URL of the service, such as https://img.example.com")
    }
    if template.names.contains(.signed) && service.signed[.fit] == nil {
      group.context.report(group.mark, "\"delivery.signed\" is missing: the template has {signed}")
    }
    if service.formats.isEmpty {
      group.context.report(
        group.mark,
        "\"delivery.formats\" is missing: the formats that the service makes, such as {webp: webp}")
    }
    var service = service
    service.limits.crops = service.modes[.clip] != nil
    service.limits.formats = Set(service.formats.keys)
    service.limits.frames = service.keepsAnimations ? service.frames : 1
    takeSecrets(&service, group)
    return service
  }

  private func takeSecrets(_ service: inout ImageService, _ group: KeyGroup) {
    let secrets = [("key", key), ("salt", salt)].compactMap { name, secret in
      secret.map { (name: name, secret: $0) }
    }
    guard let signature = service.signature else {
      for (name, secret) in secrets {
        group.context.report(
          secret.mark,
          "\"delivery.\(name)\": this service has no signatures (\"delivery.signature\")")
      }
      return
    }
    for (name, secret) in secrets {
      guard let bytes = signature.bytes(ofKey: secret.text) else {
        group.context.report(
          secret.mark, "\"delivery.\(name)\" must be hexadecimal digits, two for each byte")
        continue
      }
      if name == "key" { service.key = bytes } else { service.salt = bytes }
    }
    let needsSalt = signature.of?.names.contains(.salt) == true
    if salt != nil, !needsSalt {
      group.context.report(group.mark, "\"delivery.salt\": the signature of this service has none")
    }
    if (salt != nil) != (key != nil), needsSalt {
      group.context.report(group.mark, "\"delivery\" needs both key and salt, or neither")
    }
  }
}

extension KeyType where Value == ImageService? {
  static var imageService: KeyType {
    KeyType(
      expected: DeliveryKeys.type.expected,
      schema: { _ in DeliveryKeys.type.schema(DeliveryKeys(ImageService())) },
      read: { node, place, _ in DeliveryKeys.service(node, place).map { .some($0) } },
      json: { $0.map { DeliveryKeys($0).identity } })
  }
}

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

/// Image services that are known by name: `Presets.yaml`, which is built in.
enum DeliveryPresets {
  static let names = presets.map(\.name)

  /// The keys of a service; nil for an unknown one.
  static func node(of name: String) -> YAMLNode? { presets.first { $0.name == name }?.node }

  private static let presets: [(name: String, node: YAMLNode)] = {
    // A test reads them all.
    guard let root = try? YAMLParser.parse(PackageResources.Presets_yaml),
      case .mapping(let pairs) = root.content
    else { return [] }
    return pairs.compactMap { pair in
      guard case .scalar(let name, isQuoted: _) = pair.key.content else { return nil }
      return (name, pair.value)
    }
  }()
}
