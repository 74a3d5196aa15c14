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
