internal import TesseraDelivery
internal import TesseraPlan
internal import TesseraText

/// Decodes `delivery`: a preset's keys, and the pipeline's own ones in their place.
struct DeliveryDecoding {
  private var service = ImageService()
  /// Before it is known how the service encodes keys.
  private var secrets: [(name: String, text: String, mark: Mark)] = []

  /// The service; nil if the pipeline has none, or a mistake was reported.
  static func service(_ top: inout KeyGroup) -> ImageService? {
    guard var group = top.group("delivery") else { return nil }
    var decoding = DeliveryDecoding()
    let preset = group.value(
      "preset", expected: "one of \(DeliveryPresets.names.joined(separator: ", "))"
    ) {
      DeliveryPresets.text(of: $0)
    }
    if let preset, let node = try? YAMLParser.parse(Array(preset.utf8)) {
      var keys = KeyGroup(node, prefix: group.prefix, context: group.context)
      decoding.read(&keys)
      keys.finish()
    }
    decoding.read(&group)
    decoding.readOwn(&group)
    group.finish()
    return decoding.finished(group)
  }

  // MARK: Keys that a preset has, too

  private mutating func read(_ group: inout KeyGroup) {
    readTemplates(&group)
    readWords(&group)
    readLimits(&group)
    readSignature(&group)
  }

  private mutating func readTemplates(_ group: inout KeyGroup) {
    let secret: [Template.Name] = [.key, .salt]
    let ofSource = Template.Name.allCases.filter { !(secret + [.signed, .signature]).contains($0) }
    if let node = group.node("template") {
      service.template =
        Self.template(
          of: node, "template", group, ofSource + [.signed, .signature]) ?? service.template
    }
    guard let node = group.node("signed") else { return }
    guard case .mapping = node.content else {
      if let template = Self.template(of: node, "signed", group, ofSource) {
        service.signed = [.fit: template]
      }
      return
    }
    var keys = KeyGroup(node, prefix: "\(group.prefix)signed.", context: group.context)
    for mode in Mode.allCases {
      guard let node = keys.node(mode.rawValue) else { continue }
      service.signed[mode] = Self.template(of: node, mode.rawValue, keys, ofSource)
    }
    keys.finish()
  }

  private static func template(
    of node: YAMLNode, _ key: String, _ group: KeyGroup, _ allowed: [Template.Name]
  ) -> Template? {
    let name = "\"\(group.prefix)\(key)\""
    guard let text = group.context.text(node, name, expected: "a template of URLs") else {
      return nil
    }
    do throws(Template.Failure) {
      return try Template(text, allowed: allowed)
    } catch {
      group.context.report(node.mark, "\(name) is wrong: \(error.message)")
      return nil
    }
  }

  private mutating func readWords(_ group: inout KeyGroup) {
    if let modes = Self.words("modes", of: Mode.allCases, &group) { service.modes = modes }
    if let formats = Self.words("formats", of: OutputFormat.allCases, &group) {
      service.formats = formats
    }
    if let words = Self.pair("metadata", keep: "keep", drop: "strip", &group) {
      service.metadata = words
    }
    if let words = Self.pair("animation", keep: "keep", drop: "first-frame", &group) {
      service.animation = words
    }
    service.keepsAnimations =
      group.value("animations", expected: "true or false", Bool.init) ?? service.keepsAnimations
    if var keys = group.group("focus") {
      service.focus.kind =
        keys.choice("kind", ImageService.FocusForm.Kind.allCases) ?? service.focus.kind
      service.focus.scale =
        keys.value("scale", expected: "a number above 0") {
          Double($0).flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
        } ?? service.focus.scale
      keys.finish()
    }
  }

  /// A word for each of some choices.
  private static func words<Choice: RawRepresentable<String> & Hashable>(
    _ key: String, of choices: [Choice], _ group: inout KeyGroup
  ) -> [Choice: String]? {
    guard var keys = group.group(key) else { return nil }
    var words: [Choice: String] = [:]
    for choice in choices {
      words[choice] = keys.value(choice.rawValue, expected: "the service's word") { $0 }
    }
    keys.finish()
    return words
  }

  private static func pair(
    _ key: String, keep: String, drop: String, _ group: inout KeyGroup
  ) -> ImageService.Words? {
    guard var keys = group.group(key) else { return nil }
    var words = ImageService.Words()
    words.keep = keys.value(keep, expected: "the service's word") { $0 } ?? ""
    words.drop = keys.value(drop, expected: "the service's word") { $0 } ?? ""
    keys.finish()
    return words
  }

  private mutating func readLimits(_ group: inout KeyGroup) {
    if let sides = Self.limits(
      "longest-side", "a length of 1 to 1000000 pixels", &group,
      { text in
        Int(text).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
      })
    {
      service.limits.longestSides = sides
    }
    if let areas = Self.limits("pixels", "a count of pixels, such as 100MP", &group, Self.pixels) {
      service.limits.areas = areas
    }
    if let widths = Self.numbers("widths", 1...1_000_000, &group) { service.limits.widths = widths }
    if let qualities = Self.numbers("qualities", 1...100, &group) { service.qualities = qualities }
    service.sourcePixels =
      group.value("source-pixels", expected: "a count of pixels, such as 50MP", Self.pixels)
      ?? service.sourcePixels
  }

  private static func pixels(_ text: String) -> Int? {
    (Int(text) ?? Units.pixels(text)).flatMap { $0 > 0 ? $0 : nil }
  }

  /// One number for all formats, or one for each of some.
  private static func limits(
    _ key: String, _ expected: String, _ group: inout KeyGroup, _ parse: (String) -> Int?
  ) -> [OutputFormat: Int]? {
    guard let node = group.node(key) else { return nil }
    guard case .mapping = node.content else {
      let number = group.value(of: node, key, expected: "\(expected), or a group by format", parse)
      return number.map { number in
        Dictionary(uniqueKeysWithValues: OutputFormat.allCases.map { ($0, number) })
      }
    }
    var keys = KeyGroup(node, prefix: "\(group.prefix)\(key).", context: group.context)
    var limits: [OutputFormat: Int] = [:]
    for format in OutputFormat.allCases {
      limits[format] = keys.value(format.rawValue, expected: expected, parse)
    }
    keys.finish()
    return limits
  }

  private static func numbers(
    _ key: String, _ range: ClosedRange<Int>, _ group: inout KeyGroup
  ) -> [Int]? {
    guard let nodes = group.list(key) else { return nil }
    let expected = "whole numbers from \(range.lowerBound) to \(range.upperBound)"
    return Set(
      nodes.compactMap { node in
        group.value(of: node, key, expected: expected) {
          Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
      }
    ).sorted()
  }

  private mutating func readSignature(_ group: inout KeyGroup) {
    guard var keys = group.group("signature") else { return }
    var signature = service.signature ?? ServiceSignature()
    signature.algorithm =
      keys.choice("algorithm", ServiceSignature.Algorithm.allCases) ?? signature.algorithm
    if let node = keys.node("of") {
      signature.of = Self.template(of: node, "of", keys, [.signed, .key, .salt])
    }
    signature.keyEncoding =
      keys.choice("key-encoding", ServiceSignature.KeyEncoding.allCases) ?? signature.keyEncoding
    signature.encoding =
      keys.choice("encoding", ServiceSignature.Encoding.allCases) ?? signature.encoding
    signature.isPadded =
      keys.value("padding", expected: "true or false", Bool.init) ?? signature.isPadded
    signature.length = keys.int("length", 1...128) ?? signature.length
    signature.unsigned =
      keys.value("unsigned", expected: "what stands for a signature") { $0 } ?? signature.unsigned
    keys.finish()
    if signature.of == nil {
      keys.context.report(
        keys.mark, "\"delivery.signature.of\" is missing: what is signed, such as \"{signed}\"")
    }
    service.signature = signature
  }

  // MARK: Keys of the pipeline alone

  private mutating func readOwn(_ group: inout KeyGroup) {
    service.base = group.value("base", expected: "a URL, such as https://img.example.com") { text in
      guard SourceURL.isFetchable(text), !text.contains(where: { "?#".contains($0) }) else {
        return nil
      }
      return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
    service.makesFiles = group.value("files", expected: "true or false", Bool.init) ?? false
    for name in ["key", "salt"] {
      guard let node = group.node(name),
        let text = group.value(
          of: node, name, expected: "a text, such as \"${IMG_KEY}\"", { $0.isEmpty ? nil : $0 })
      else { continue }
      secrets.append((name, text, node.mark))
    }
  }

  /// The service, once everything about it is known.
  private mutating func finished(_ group: KeyGroup) -> ImageService? {
    guard let template = service.template else {
      if group.node(of: "preset") == nil, group.node(of: "template") == nil {
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
    service.limits.crops = service.modes[.clip] != nil
    service.limits.formats = Set(service.formats.keys)
    takeSecrets(group)
    return service
  }

  private mutating func takeSecrets(_ group: KeyGroup) {
    guard let signature = service.signature else {
      for secret in secrets {
        group.context.report(
          secret.mark,
          "\"delivery.\(secret.name)\": this service has no signatures (\"delivery.signature\")")
      }
      return
    }
    for secret in secrets {
      guard let bytes = signature.bytes(ofKey: secret.text) else {
        group.context.report(
          secret.mark, "\"delivery.\(secret.name)\" must be hexadecimal digits, two for each byte")
        continue
      }
      if secret.name == "key" { service.key = bytes } else { service.salt = bytes }
    }
    let needsSalt = signature.of?.names.contains(.salt) == true
    let has = Set(secrets.map(\.name))
    if has.contains("salt"), !needsSalt {
      group.context.report(group.mark, "\"delivery.salt\": the signature of this service has none")
    }
    if has.contains("salt") != has.contains("key"), needsSalt {
      group.context.report(group.mark, "\"delivery\" needs both key and salt, or neither")
    }
  }
}
