/// Files whose quality is found by a search.
extension Plan {
  /// A search: of the whole image, in one encoding.
  package struct QualitySearch: Sendable, Hashable {
    /// Without a quality.
    package var encoding: Encoding
    /// The size of the image that is searched.
    package var size: Size

    /// Everything that shapes what is found, apart from the source's bytes, the decoding and versions.
    package var recipe: String {
      "search " + PlannedFile(crop: nil, size: size, encoding: encoding, fallback: nil).recipe
    }
  }

  /// Gives files the default quality whose quality cannot be searched, because the image is too small.
  ///
  /// - Parameter decode: ``decode(of:)`` of the plan for all slots.
  /// - Returns: the searches for the others, in the order of the files.
  package mutating func prepareSearches(of source: Size, _ decode: DecodePlan) -> [QualitySearch] {
    var searches: [QualitySearch] = []
    let size = AutomaticQuality.searchedSize(of: source, base: decode.base)
    for encoding in unresolvedEncodings {
      if let size {
        searches.append(QualitySearch(encoding: encoding, size: size))
      } else if let automatic = encoding.automatic {
        resolve(encoding, automatic.fallback(encoding.format))
      }
    }
    return searches
  }

  /// Gives all files of an encoding the quality that was found for it.
  package mutating func resolve(_ encoding: Encoding, _ quality: Int) {
    for variant in variants.indices {
      for file in variants[variant].files.indices
      where variants[variant].files[file].encoding == encoding {
        variants[variant].files[file].encoding.quality = quality
      }
    }
  }

  private var unresolvedEncodings: [Encoding] { files.unresolvedEncodings }
}

extension [PlannedFile] {
  /// The encodings whose quality has to be found, each once, in the order of the files.
  package var unresolvedEncodings: [Encoding] {
    var found: [Encoding] = []
    for file in self where file.encoding.isUnresolved && !found.contains(file.encoding) {
      found.append(file.encoding)
    }
    return found
  }
}
