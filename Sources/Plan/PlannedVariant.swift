/// A part of a source at a size, in one file or, where the pipeline asks for several formats, in one
/// of each.
package struct PlannedVariant: Sendable, Hashable {
  /// In the order of the settings, distinct, all of the same part and size. Never empty: the first
  /// is the preferred one.
  package var files: [PlannedFile]

  package init(files: [PlannedFile]) { self.files = files }

  /// The part of the displayed picture; nil is all of it.
  package var crop: Crop? { files[0].crop }
  package var size: Size { files[0].size }
}

/// A file to make.
package struct PlannedFile: Sendable, Hashable {
  /// The part of the displayed picture; nil is all of it.
  package var crop: Crop?
  package var size: Size
  package var encoding: Encoding
  /// Why it is not what the pipeline asks for.
  package var fallback: Fallback?

  package init(crop: Crop?, size: Size, encoding: Encoding, fallback: Fallback?) {
    self.crop = crop
    self.size = size
    self.encoding = encoding
    self.fallback = fallback
  }

  /// One line that says everything that shapes the file's bytes apart from the source's and the
  /// versions of the libraries. Two files with the same line are the same.
  package var recipe: String {
    var parts = ["\(encoding.format.rawValue) \(size.width)x\(size.height)"]
    if let crop { parts.append("crop \(crop)") }
    if let quality = encoding.quality { parts.append("quality \(quality)") }
    if let effort = encoding.effort { parts.append("effort \(effort)") }
    if let background = encoding.background { parts.append("on \(background.hexadecimal)") }
    parts.append(encoding.isAnimated ? "all frames" : "first frame")
    parts.append("\(encoding.metadata)")
    return parts.joined(separator: "; ")
  }
}

/// Why a file is not what the pipeline asks for: its format is another one, or it is smaller, as an
/// animation among the files of its size ends at its format's limit.
package struct Fallback: Sendable, Hashable {
  /// In the order in which formats were tried. Not empty.
  package var reasons: [Reason]

  /// What keeps a format from being used.
  package enum Reason: Sendable, Hashable {
    /// A side would be longer than the format can hold.
    case sizeLimit(OutputFormat)
    /// The source has alpha, and so has the format that was asked for, but this one has none.
    case noAlpha(OutputFormat)
    /// The source moves, and in this format it would not.
    case noAnimation(OutputFormat)

    /// As the catalog spells it: `webp-size-limit`.
    package var code: String {
      switch self {
      case .sizeLimit(let format): "\(format.rawValue)-size-limit"
      case .noAlpha(let format): "\(format.rawValue)-no-alpha"
      case .noAnimation(let format): "\(format.rawValue)-no-animation"
      }
    }
  }

  /// Nil where there is no reason.
  package init?(_ reasons: [Reason]) {
    guard !reasons.isEmpty else { return nil }
    self.reasons = reasons
  }

  /// The first of the reasons; it goes into the catalog.
  package var code: String { reasons[0].code }

  /// All reasons, for people: `webp-size-limit, jpeg-no-alpha`.
  package var text: String { reasons.map(\.code).joined(separator: ", ") }
}
