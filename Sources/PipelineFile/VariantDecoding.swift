internal import TesseraPlan

/// Decodes the keys under `variants`, and with ``SizeDecoding`` all settings of the plan.
enum VariantDecoding {
  static func settings(_ top: inout KeyGroup, slots: [Slot]) -> PlanSettings {
    var settings = PlanSettings(slots: slots)
    settings.scales = SizeDecoding.scales(&top) ?? settings.scales
    settings.rounding = SizeDecoding.rounding(&top) ?? settings.rounding
    guard var group = top.group("variants") else { return settings }
    settings.formats = formats(&group) ?? settings.formats
    decodeQuality(&group, &settings)
    // The common range is that of WebP, the default format.
    settings.effort = encoderSetting(
      "effort", &group, .effort, common: 0...6, isAutomatic: { $0 == .webp }, \.efforts)
    settings.alphaQuality = group.int("alpha-quality", 0...100) ?? settings.alphaQuality
    // The formats that every program reads; the limits of both are above WebP's.
    settings.oversized =
      group.choice("oversized", [OutputFormat.jpeg, .png]) ?? settings.oversized
    settings.background =
      group.value("background", expected: "a colour such as \"#ffffff\" (in quotes)") {
        Colour(hexadecimal: $0)
      } ?? settings.background
    settings.metadata = metadata(&group) ?? settings.metadata
    if let animation = group.choice("animation", Animation.allCases) {
      settings.keepsAnimation = animation == .keep
    }
    settings.gravity =
      group.choice("gravity", Gravity.all) ?? settings.gravity
    group.finish()
    return settings
  }

  /// One format, or a list of formats, each of which gets a file.
  private static func formats(_ group: inout KeyGroup) -> [FormatChoice]? {
    guard let node = group.node("format") else { return nil }
    var nodes = [node]
    if case .sequence(let list) = node.content { nodes = list }
    if nodes.isEmpty {
      group.context.report(node.mark, "\"variants.format\" must have at least one format")
    }
    var formats: [FormatChoice] = []
    for node in nodes {
      guard let format = group.choice(of: node, "format", FormatChoice.all) else { continue }
      if formats.contains(format) {
        group.context.report(node.mark, "\"variants.format\" names \(format.rawValue) twice")
      } else {
        formats.append(format)
      }
    }
    return formats.isEmpty ? nil : formats
  }

  /// One number for all formats that have the setting, limited to the range of each format; or a
  /// group with a number for each of some formats.
  ///
  /// - Parameters:
  ///   - orGroup: what a group may be, for messages.
  ///   - isAutomatic: the formats whose number may be `auto`, which is nil.
  ///   - others: decodes what else a group may have; returns what formats without a number get.
  static func encoderSetting(
    _ key: String, _ group: inout KeyGroup, _ defaults: EncoderSetting,
    common: ClosedRange<Int>, orGroup: String = "a group with one for each format",
    isAutomatic: (OutputFormat) -> Bool = { _ in false },
    others: (inout KeyGroup) -> EncoderSetting? = { _ in nil },
    _ range: (OutputFormat) -> ClosedRange<Int>?
  ) -> EncoderSetting {
    guard let node = group.node(key) else { return defaults }
    // A group names formats, so that a number out of a format's range is a mistake there, while a
    // common number is only limited to it.
    if case .mapping = node.content {
      var keys = KeyGroup(node, prefix: "\(group.prefix)\(key).", context: group.context)
      var setting = others(&keys) ?? defaults
      for format in OutputFormat.allCases {
        guard let range = range(format) else { continue }
        let number = SettingNumber(range: range, orAuto: isAutomatic(format))
        if let value = keys.value(format.rawValue, expected: number.expected, number.parsed) {
          setting[format] = value
        }
      }
      keys.finish()
      return setting
    }
    let number = SettingNumber(
      range: common, orAuto: OutputFormat.allCases.contains(where: isAutomatic))
    let value = group.value(
      of: node, key, expected: number.expected + ", or \(orGroup)", number.parsed)
    guard let value else { return defaults }
    var setting = defaults
    for format in OutputFormat.allCases {
      if let value, let range = range(format) {
        setting[format] = min(max(value, range.lowerBound), range.upperBound)
      } else if value == nil, isAutomatic(format) {
        setting[format] = nil
      }
    }
    return setting
  }

  /// A number of a setting, or `auto`, which is nil.
  private struct SettingNumber {
    let range: ClosedRange<Int>
    let orAuto: Bool

    var expected: String {
      "a whole number from \(range.lowerBound) to \(range.upperBound)"
        + (orAuto ? " or \"auto\"" : "")
    }

    func parsed(_ text: String) -> Int?? {
      if orAuto && text == "auto" { return .some(nil) }
      return Int(text).flatMap { range.contains($0) ? .some($0) : nil }
    }
  }

  /// `strip`, `keep`, or a list of the kinds to keep.
  private static func metadata(_ group: inout KeyGroup) -> MetadataPolicy? {
    guard let node = group.node("metadata") else { return nil }
    let kinds = MetadataPolicy.named
    guard case .sequence(let nodes) = node.content else {
      let choices = [("strip", MetadataPolicy.strip), ("keep", .keep)] + kinds
      return group.value(
        of: node, "metadata",
        expected: "\"strip\", \"keep\", or a list of \(names(kinds))"
      ) { text in choices.first { $0.0 == text }?.1 }
    }
    if nodes.isEmpty {
      group.context.report(
        node.mark, "\"variants.metadata\" must have at least one kind; or say strip")
    }
    return nodes.reduce(into: MetadataPolicy.strip) { policy, node in
      let kind = group.value(of: node, "metadata", expected: "a list of \(names(kinds))") { text in
        kinds.first { $0.name == text }?.policy
      }
      policy.formUnion(kind ?? .strip)
    }
  }

  private static func names(_ kinds: [(name: String, policy: MetadataPolicy)]) -> String {
    kinds.map { "\"\($0.name)\"" }.joined(separator: ", ")
  }

  private enum Animation: String, CaseIterable {
    case keep
    case firstFrame = "first-frame"
  }
}
