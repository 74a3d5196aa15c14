/// A part of a source at one size: a file in each of the configured formats.
package struct PlannedVariant: Sendable, Hashable {
  /// In the order of the settings, distinct, all of the same part and size. Never empty; the first
  /// is the preferred one.
  package var files: [PlannedFile]

  package init(files: [PlannedFile]) { self.files = files }

  /// The part of the displayed image; nil means all of it.
  package var crop: Crop? { files[0].crop }
  package var size: Size { files[0].size }
}

/// One file to make.
package struct PlannedFile: Sendable, Hashable, Codable {
  /// The part of the displayed image; nil means all of it.
  package var crop: Crop?
  package var size: Size
  package var encoding: Encoding
  /// Why the file differs from the configuration; nil if it does not.
  package var fallback: Fallback?

  // A worker makes the planned file; why the plan deviates from the request is not its business.
  private enum CodingKeys: CodingKey { case crop, size, encoding }

  package init(crop: Crop?, size: Size, encoding: Encoding, fallback: Fallback?) {
    self.crop = crop
    self.size = size
    self.encoding = encoding
    self.fallback = fallback
  }

  /// One line with everything that shapes the file's bytes, apart from the source's bytes and the
  /// versions of the libraries. Two files of a source with the same line are the same.
  package var recipe: String {
    // The line is part of fingerprints that the state stores: a change remakes every file.
    var parts = ["\(encoding.format.rawValue) \(size.width)x\(size.height)"]
    if let crop { parts.append("crop \(crop)") }
    return (parts + encoding.recipe).joined(separator: "; ")
  }
}

extension ServiceLimits {
  /// Whether the service makes this file, if it was planned without regard to it.
  package func allow(_ file: PlannedFile, of source: Size) -> Bool {
    let format = file.encoding.format
    let (width, isWhole) = (file.size.width, file.size.width == source.width)
    let isWidth = widths.isEmpty || widths.contains(width) || isWhole && width <= widths.last ?? 0
    return formats.contains(format) && (crops || file.crop == nil) && isWidth
      && file.size.longerSide <= longestSides[format] ?? .max
      && file.size.area <= areas[format] ?? .max
  }
}
