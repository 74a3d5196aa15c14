/// Everything that shapes the bytes of a file apart from crop and size.
package struct Encoding: Sendable, Hashable, Codable {
  package var format: OutputFormat
  /// 1 to 100; nil if the format has no quality, or if it has to be found.
  package var quality: Int?
  /// How the quality is found; nil if it is a setting, or if the format has none.
  package var automatic: AutomaticQuality?
  /// Nil if the encoder has no effort.
  package var effort: Int?
  /// 0 to 100: how many levels the alpha keeps. Nil unless the source has alpha, the format is WebP,
  /// and levels may be lost.
  package var alphaQuality: Int?
  /// The colour behind translucent pixels; nil unless the source has alpha and the format has none.
  package var background: Colour?
  /// Whether the file has all frames, or only the first.
  package var isAnimated: Bool
  package var metadata: MetadataPolicy
  /// Whether the file has a gain map beside its image, for screens of high dynamic range. Only of JPEG.
  package var hasGainMap: Bool

  /// Whether anything of the source is in the file besides its samples.
  package var keepsMetadata: Bool { !metadata.isEmpty || hasGainMap }

  package init(
    format: OutputFormat, quality: Int?, automatic: AutomaticQuality? = nil, effort: Int?,
    alphaQuality: Int? = nil, background: Colour?, isAnimated: Bool,
    metadata: MetadataPolicy = .strip, hasGainMap: Bool = false
  ) {
    self.format = format
    self.quality = quality
    self.automatic = automatic
    self.effort = effort
    self.alphaQuality = alphaQuality
    self.background = background
    self.isAnimated = isAnimated
    self.metadata = metadata
    self.hasGainMap = hasGainMap
  }

  /// As the settings want files of a source in a format.
  init(_ settings: PlanSettings, _ format: OutputFormat, of source: PlanSource) {
    let isAnimated = source.isAnimated && settings.keepsAnimation && format.hasAnimation
    let (quality, automatic) = (settings.quality[format], settings.automaticQuality)
    let isFound = format.hasQuality && quality == nil
    self.init(
      // A search compares still images.
      format: format, quality: isFound && isAnimated ? automatic.fallback(format) : quality,
      automatic: isFound && !isAnimated ? automatic : nil,
      effort: settings.effort[format] ?? EncoderSetting.automaticEffort(format, of: source),
      alphaQuality: source.hasAlpha && format == .webp && settings.alphaQuality < 100
        ? settings.alphaQuality : nil,
      background: source.hasAlpha && !format.hasAlpha ? settings.background : nil,
      isAnimated: isAnimated, metadata: settings.metadata)
  }

  /// A JPEG that has the gain map of its source, as the settings want it. Nil unless they want one, and the source has one.
  ///
  /// It keeps the colour profile, because a gain map is for the primaries of its image; and no XMP, because it has a packet
  /// of its own.
  init?(highDynamicRange settings: PlanSettings, of source: PlanSource) {
    guard settings.dynamicRange == .keep, source.hasGainMap, settings.service == nil else {
      return nil
    }
    self.init(settings, .jpeg, of: source)
    quality = quality ?? automatic?.fallback(.jpeg)
    automatic = nil
    metadata = metadata.union(.icc).subtracting(.xmp)
    hasGainMap = true
  }

  /// Everything but the format, in words for a file's recipe.
  var recipe: [String] {
    var parts: [String] = []
    if let quality {
      // However it was found: the same quality gives the same bytes.
      parts.append("quality \(quality)")
    } else if let automatic {
      parts.append(automatic.recipe)
    }
    if let effort { parts.append("effort \(effort)") }
    if let alphaQuality { parts.append("alpha quality \(alphaQuality)") }
    if let background { parts.append("on \(background.hexadecimal)") }
    parts += [isAnimated ? "all frames" : "first frame", "\(metadata)"]
    return hasGainMap ? parts + ["gain map"] : parts
  }

  /// Whether the quality has to be found.
  package var isUnresolved: Bool { quality == nil && automatic != nil }
}

/// A format in which files of a pipeline may be.
package struct FileFormat: Sendable, Hashable {
  package var format: OutputFormat
  /// Whether its files have a gain map.
  package var hasGainMap = false
  /// Whether it only takes the place of another format.
  package var isFallback = false

  package func isOf(_ encoding: Encoding) -> Bool {
    format == encoding.format && hasGainMap == encoding.hasGainMap
  }
}

extension PlanSettings {
  /// All formats in which files may be: those that are requested in their order of preference, then those that take their place,
  /// and JPEG with a gain map.
  package var fileFormats: [FileFormat] {
    var found: [FileFormat] = []
    func add(_ format: OutputFormat, isFallback: Bool) {
      if !found.contains(where: { $0.format == format }) {
        found.append(FileFormat(format: format, isFallback: isFallback))
      }
    }
    for format in formats.flatMap(\.formats) { add(format, isFallback: false) }
    if keepsAnimation, found.contains(where: \.format.givesWayToAnimation) {
      add(.webp, isFallback: true)
    }
    // Of a size that a format can't hold, and of one with alpha that its replacement can't.
    add(oversized, isFallback: true)
    add(.png, isFallback: true)
    if dynamicRange == .keep { found.append(FileFormat(format: .jpeg, hasGainMap: true)) }
    return found
  }

  /// All that is declared and shapes the bytes of files of a format, apart from their size and crop, in words: with it and the
  /// source everything about the bytes is said. A setting of another format is not in it, so that it renames none of these.
  package func recipe(of file: FileFormat) -> String {
    let format = file.format
    var parts = [format.rawValue]
    if let number = quality[format] {
      parts.append("quality \(number)")
    } else if format.hasQuality {
      parts += [automaticQuality.recipe, "or quality \(automaticQuality.fallback(format))"]
    }
    if format.efforts != nil { parts.append("effort \(effort[format].map(String.init) ?? "auto")") }
    if format == .webp { parts.append("alpha quality \(alphaQuality)") }
    if !format.hasAlpha { parts.append("on \(background.hexadecimal)") }
    if format.hasAnimation { parts.append(keepsAnimation ? "all frames" : "first frame") }
    parts.append("\(metadata)")
    if file.hasGainMap { parts.append("gain map") }
    if lanes == .off { parts.append("by libvips") }
    return parts.joined(separator: "; ")
  }
}

/// Why a file differs from the configuration: its format is another one, or it is smaller, because
/// an animation among the files of its variant is at the limit of its format.
package struct Fallback: Sendable, Hashable {
  /// In the order in which the planner considered the formats. Not empty.
  package var reasons: [Reason]

  /// Why a format cannot be used.
  package enum Reason: Sendable, Hashable {
    /// A side would exceed the limit of the format.
    case sizeLimit(OutputFormat)
    /// The source and the configured format have alpha, but this one has none.
    case noAlpha(OutputFormat)
    /// The source is animated, and files in this format are not.
    case noAnimation(OutputFormat)
    /// The image service makes no larger image.
    case serviceLimit

    /// All that there may be.
    package static let all: [Reason] =
      OutputFormat.allCases.map { .sizeLimit($0) }
      + OutputFormat.allCases.filter { !$0.hasAlpha }.map { .noAlpha($0) }
      + OutputFormat.allCases.filter(\.givesWayToAnimation).map { .noAnimation($0) }
      + [.serviceLimit]

    /// The code in the catalog: `webp-size-limit`.
    package var code: String {
      switch self {
      case .sizeLimit(let format): "\(format.rawValue)-size-limit"
      case .noAlpha(let format): "\(format.rawValue)-no-alpha"
      case .noAnimation(let format): "\(format.rawValue)-no-animation"
      case .serviceLimit: "service-limit"
      }
    }
  }

  /// Nil if there is no reason.
  package init?(_ reasons: [Reason]) {
    guard !reasons.isEmpty else { return nil }
    self.reasons = reasons
  }

  /// The first of the reasons, which the catalog has.
  package var code: String { reasons[0].code }

  /// All reasons, for display: `webp-size-limit, jpeg-no-alpha`.
  package var text: String { reasons.map(\.code).joined(separator: ", ") }
}
