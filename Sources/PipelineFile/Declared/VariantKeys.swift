internal import TesseraJSON
internal import TesseraPlan

extension PlanSettings {
  /// The keys under `variants`.
  static let keys: [Key<PlanSettings>] = [
    Key(
      "format", .formats, \.formats, shapes: .files,
      "The format of the files (\(OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")), source, compatible), or a list that makes one file of each, in order of preference. heic is for apps of Apple's platforms. source: the source's own format, but not heic; compatible: PNG for images with alpha, else JPEG."
    ),
    Key(
      "quality", QualityChoice.type, \.qualityChoice, shapes: .files,
      "Encoder quality: one number for all formats, or one per format; HEIC's is on the scale of WebP. auto: the lowest quality at which an image reaches the target, 72 by default."
    ),
    Key(
      "quality-range", .qualityRange, \.automaticQuality.range, shapes: .files, needs: .search,
      "The lowest and the highest quality that auto may find. Only with auto."),
    Key(
      // The common range is that of WebP, the default format.
      "effort",
      .either(
        .number(
          0...6, isAutomatic: { $0 == .webp }, \.efforts, defaults: .effort,
          orGroup: "a group with one for each format"),
        or: .group(
          OutputFormat.allCases.compactMap { format in
            format.efforts.map { .setting(format, $0, isAutomatic: format == .webp, \.[format]) }
          })), \.effort, shapes: .files, needs: .files,
      "Encoder effort: one number for all formats, or one per format. auto, for WebP: 2 for photographs (sources in JPEG, HEIC, AVIF, JPEG XL, JPEG 2000), 4 for all others."
    ),
    Key(
      "alpha-quality", .int(0...100), \.alphaQuality, shapes: .files, needs: .files,
      "Of the alpha of WebP files. Below 100 it is reduced to fewer levels: 96 at 80, 16 at 70."),
    Key(
      // The formats that every program reads; the limits of both are above WebP's.
      "oversized", .choice([.jpeg, .png]), \.oversized, shapes: .files,
      "The format to use if a side exceeds the format's limit (WebP: 16383 pixels, AVIF: 16384, HEIC: 16888)."
    ),
    Key(
      "background", .colour, \.background, shapes: .files, needs: .files,
      "The colour behind translucent pixels if the format has no alpha: #rgb or #rrggbb, in quotes."
    ),
    Key(
      "metadata", .metadata, \.metadata, shapes: .files,
      "strip converts to sRGB and removes all metadata; keep keeps everything except the location; a list keeps only those kinds (icc, exif, xmp, iptc), exif including the location."
    ),
    Key(
      "animation", Animation.type, \.keepsAnimation, shapes: .files,
      "Whether to keep all frames (keep) or only the first (first-frame)."),
    Key(
      "hdr", .choice, \.dynamicRange, shapes: .files, needs: .files,
      "Whether a JPEG with a gain map also gets JPEG files that have it, for screens of high dynamic range (keep), or only files that look alike on all screens (sdr)."
    ),
    Key(
      "gravity", .choice(Gravity.all), \.gravity, shapes: .files,
      "The part that a crop keeps: a side, a corner, the centre, or a part chosen by the pixels (attention, entropy). An item's own focus takes precedence."
    ),
  ]

  /// Reports keys that do nothing without a quality that is found.
  static func check(_ settings: PlanSettings, _ group: KeyGroup) -> PlanSettings? {
    guard !settings.findsQuality else { return settings }
    let numbers = OutputFormat.allCases.filter(\.hasQuality).map {
      "variants.quality.\($0.rawValue)"
    }
    if let pair = group.context.pair("variants.quality.target"),
      numbers.allSatisfy({ group.context.pair($0) != nil })
    {
      group.context.report(
        pair.value.mark,
        "\"variants.quality.target\" has no effect: every format has a number; remove it, or a number"
      )
    }
    if let node = group.node("quality-range") {
      group.context.report(
        node.mark,
        "\"variants.quality-range\" has no effect: no quality is \"auto\"; remove it, or say \"quality: auto\""
      )
    }
    return settings
  }

  private enum Animation: String, CaseIterable {
    case keep
    case firstFrame = "first-frame"

    static let type = KeyType<Animation>.choice.mapped(
      { $0 == .keep }, from: { $0 ? .keep : .firstFrame })
  }

  /// What `quality` says.
  fileprivate var qualityChoice: QualityChoice {
    get { QualityChoice(numbers: quality, found: findsQuality ? automaticQuality.target : nil) }
    set {
      quality = newValue.numbers
      if let target = newValue.target { automaticQuality.target = target }
    }
  }
}

/// A number for each format, and the score that formats without one reach.
private struct QualityChoice: Sendable {
  var numbers: EncoderSetting
  private(set) var target: Int?

  init(numbers: EncoderSetting, found target: Int?) {
    (self.numbers, self.target) = (numbers, target)
  }

  /// The target as the file names it. It is for every format that the file gives no number.
  private var named: Int? {
    get { target }
    set {
      target = newValue
      numbers = EncoderSetting { _ in nil }
    }
  }

  private static let range = 1...100

  static let type = KeyType<Self>.either(
    KeyType<EncoderSetting>.number(
      range, isAutomatic: \.hasQuality, { $0.hasQuality ? range : nil }, defaults: .quality,
      orGroup: "a group with one for each format, or with a target such as {target: high}"
    ).mapped({ Self(numbers: $0, found: nil) }, from: \.numbers),
    or: .group(
      [
        Key(
          "target", .optional(targets, initial: 72), \.named,
          "The SSIMULACRA 2.1 score that the formats without a number reach: low 60, feed 70, high 80, excellent 85."
        )
      ]
        + OutputFormat.allCases.filter(\.hasQuality).map {
          .setting($0, range, isAutomatic: true, \.numbers[$0])
        }))

  private static var targets: KeyType<Int> {
    let (names, range) = (AutomaticQuality.names, AutomaticQuality.targets)
    let words = names.map { "\"\($0.name)\" (\($0.target))" }.joined(separator: ", ")
    return .scalar(
      "a whole number from \(range.lowerBound) to \(range.upperBound), or one of \(words)",
      schema: [
        "anyOf": [
          KeyType<Int>.schema(of: range), ["enum": .array(names.map { .string($0.name) })],
        ]
      ], json: JSONValue.int
    ) { text in
      names.first { $0.name == text }?.target
        ?? Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Key {
  /// The number of a format, or `auto`, which is nil.
  fileprivate static func setting(
    _ format: OutputFormat, _ range: ClosedRange<Int>, isAutomatic: Bool,
    _ storage: any WritableKeyPath<Root, Int?> & Sendable
  ) -> Key {
    Key(format.rawValue, .number(range, orAuto: isAutomatic), storage, "For \(format.rawValue).")
  }
}

extension KeyType where Value == Int? {
  /// A number, or `auto`, which is nil.
  fileprivate static func number(_ range: ClosedRange<Int>, orAuto: Bool) -> KeyType {
    scalar(
      "a whole number from \(range.lowerBound) to \(range.upperBound)"
        + (orAuto ? " or \"auto\"" : ""), schema: schema(of: range, orAuto: orAuto),
      json: { $0.map { .int($0) } ?? (orAuto ? "auto" : nil) },
      parse: { text in
        orAuto && text == "auto"
          ? .some(nil) : Int(text).flatMap { range.contains($0) ? .some($0) : nil }
      })
  }
}

extension KeyType where Value == Int? {
  fileprivate static func schema(of range: ClosedRange<Int>, orAuto: Bool) -> JSONValue {
    let number = KeyType<Int>.schema(of: range)
    return orAuto ? ["anyOf": [number, ["const": "auto"]]] : number
  }
}

extension KeyType where Value == EncoderSetting {
  /// One number for all formats that have the setting, limited to the range of each.
  ///
  /// - Parameters:
  ///   - isAutomatic: the formats whose number may be `auto`, which is nil.
  ///   - orGroup: what a group may be, for messages.
  fileprivate static func number(
    _ common: ClosedRange<Int>, isAutomatic: @escaping @Sendable (OutputFormat) -> Bool,
    _ range: @escaping @Sendable (OutputFormat) -> ClosedRange<Int>?, defaults: EncoderSetting,
    orGroup: String
  ) -> KeyType {
    let number = KeyType<Int?>.number(
      common, orAuto: OutputFormat.allCases.contains(where: isAutomatic))
    return scalar(
      "\(number.expected), or \(orGroup)", schema: KeyType<Int?>.schema(of: common, orAuto: true),
      json: { number.json($0[.webp]) },
      parse: { text in
        guard let value = number.parse?(text, "") else { return nil }
        return EncoderSetting { format in
          guard let value else { return isAutomatic(format) ? nil : defaults[format] }
          return range(format).map { min(max(value, $0.lowerBound), $0.upperBound) }
        }
      })
  }
}

extension KeyType where Value == [FormatChoice] {
  fileprivate static var formats: KeyType {
    list(of: .choice(FormatChoice.all), initial: .fixed(.webp), one: "format", isUnique: true)
  }
}

extension KeyType where Value == Colour {
  fileprivate static var colour: KeyType {
    scalar(
      "a colour such as \"#ffffff\" (in quotes)",
      schema: ["type": "string", "pattern": "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$"],
      json: { .string($0.hexadecimal) }, parse: { Colour(hexadecimal: $0) })
  }
}

extension KeyType where Value == MetadataPolicy {
  /// `strip`, `keep`, or a list of the kinds to keep.
  fileprivate static var metadata: KeyType {
    let kinds = MetadataPolicy.named
    let names = kinds.map { "\"\($0.name)\"" }.joined(separator: ", ")
    func words(_ words: [(name: String, policy: MetadataPolicy)], _ expected: String) -> KeyType {
      scalar(
        expected, schema: ["enum": .array(words.map { .string($0.name) })],
        json: { policy in
          words.first { $0.policy == policy }.map { .string($0.name) }
        }, parse: { text in words.first { $0.name == text }?.policy })
    }
    let one = words(
      [("strip", .strip), ("keep", .keep)] + kinds, "\"strip\", \"keep\", or a list of \(names)")
    let list = KeyType<[MetadataPolicy]>.list(
      of: words(kinds, "a list of \(names)"), initial: .icc, one: "kind", acceptsOne: false,
      alternative: "; or say strip")
    return KeyType(
      expected: one.expected, schema: { ["anyOf": [one.schema($0), list.schema([])]] },
      read: { node, place, current in
        guard case .sequence = node.content else { return one.read(node, place, current) }
        return list.read(node, place, []).map { $0.reduce(.strip) { $0.union($1) } }
      },
      json: { policy in
        one.json(policy) ?? list.json(kinds.map(\.policy).filter(policy.isSuperset))
      })
  }
}

extension KeyType where Value == ClosedRange<Int> {
  fileprivate static var qualityRange: KeyType {
    let expected = "two whole numbers from 1 to 100, the lower one first, such as [40, 92]"
    let end = KeyType<Int>.int(1...100, expected)
    return KeyType(
      expected: expected,
      schema: {
        [
          "type": "array", "minItems": 2, "maxItems": 2, "items": end.schema($0.lowerBound),
        ]
      },
      read: { node, place, _ in
        var ends: [Int] = []
        if case .sequence(let nodes) = node.content {
          ends = nodes.compactMap { end.read($0, place, 1) }
          // A mistake in an end is reported already.
          if ends.count < nodes.count { return nil }
        }
        if ends.count == 2, ends[0] < ends[1] { return ends[0]...ends[1] }
        place.report(node.mark, "must be \(expected), found \(node.kind)")
        return nil
      }, json: { [.int($0.lowerBound), .int($0.upperBound)] })
  }
}

extension Upgrade {
  static let type = KeyType<Self?>(
    expected: group.expected,
    schema: { group.schema($0 ?? initial) },
    read: { node, place, current in
      group.read(node, place, current ?? initial).map { .some($0) }
    },
    // The budget shapes no file, and so is in no fingerprint.
    json: { upgrade in
      upgrade.map { ["format": .string($0.format.rawValue)] }
    })

  private static let initial = Self(format: .avif)

  private static let group = KeyType<Self>.group(
    [
      Key(
        "format", .choice(OutputFormat.allCases), \.format, isRequired: true, example: "avif",
        "The better format; clients prefer it."),
      Key(
        "budget", .duration, \.budget, "How long workers may take for it in one run, all together."),
    ], isOptional: false)
}

extension PipelineFile {
  /// Reports an upgrade to a format that is made anyway.
  func checkUpgrade(_ context: DecodingContext) {
    guard let upgrade, plan.formats.contains(.fixed(upgrade.format)),
      let pair = context.pair("upgrade.format")
    else { return }
    context.report(
      pair.value.mark,
      "\"upgrade.format\" has no effect: \"variants.format\" has \(upgrade.format.rawValue); remove one of them"
    )
  }
}
