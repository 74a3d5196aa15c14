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
