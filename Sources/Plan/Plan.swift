package import TesseraCatalog

/// The files to make of one source, and which of them serves which slot at which scale.
package struct Plan: Sendable, Equatable {
  /// Distinct, the smallest first.
  package var variants: [PlannedVariant]
  /// In the order of the settings.
  package var slots: [SlotPlan]
  /// The number of configured formats, with that of high dynamic range.
  package var formatCount: Int
  package var lanes: Lanes
  package var dynamicRange = DynamicRange.sdr

  package struct SlotPlan: Sendable, Equatable {
    package var slot: Slot
    /// The size of its box in the layout, in points.
    package var layout: Size
    /// The size of its image there, in points. It is larger than the box if the image covers it and the client crops.
    package var image: Size
    /// Whether its files show only a part of the source, because the rest is outside of the slot's bounds.
    package var isBounded: Bool
    /// One request for each scale, in the order of the settings.
    package var requests: [Request]
  }

  package struct Request: Sendable, Equatable {
    package var scale: Int
    /// The size in pixels that the slot needs, before rounding and before the limit of the source's
    /// own size.
    package var asked: Size
    /// An index into ``Plan/variants``.
    package var variant: Int
  }

  /// How to decode a source for all of the files.
  ///
  /// Always take this from the plan for all slots, never from the files that are missing in one
  /// run: otherwise the bytes of a file would depend on which files exist already.
  package func decode(of source: Size) -> DecodePlan {
    // The files with gain maps are made from a decode of their own.
    let encodings = files.lazy.map(\.encoding).filter { !$0.hasGainMap }
    var decode = DecodePlan(
      base: base(of: source), isAnimated: encodings.contains(where: \.isAnimated),
      keepsProfile: encodings.contains { $0.metadata.contains(.icc) }, lanes: lanes)
    decode.seeksGainMap = dynamicRange == .keep
    return decode
  }

  /// The size, at most the source's own, at which the whole image must be decoded for the largest
  /// of the variants.
  private func base(of source: Size) -> Size {
    // The largest ratio of a variant to its part of the source, compared without dividing.
    var best = (part: 0, whole: 1)
    for variant in variants {
      let part = variant.size.longerSide
      let whole = (variant.crop?.size ?? source).longerSide
      if part * best.whole > best.part * whole { best = (part, whole) }
    }
    // A variant of the source's own size, or of a whole crop's, needs the whole source.
    guard best.part < best.whole else { return source }
    func scaled(_ side: Int) -> Int { max(1, roundedRatio(side, best.part, best.whole)) }
    return Size(scaled(source.width), scaled(source.height))
  }

  /// How a variant shows its source: cropped, or the whole of it. The whole covers a box if only slots
  /// that want it to do so use the variant.
  package func mode(of variant: Int) -> CatalogSlot.Mode {
    guard variants[variant].crop == nil else { return .clip }
    let isCovering = slots.allSatisfy { slot in
      slot.slot.mode != .fit || !slot.requests.contains { $0.variant == variant }
    }
    return isCovering ? .fill : .fit
  }

  /// Whether all of its files are among another plan's.
  package func hasFiles(of other: Plan) -> Bool {
    let others = other.files
    return files.allSatisfy { file in
      others.contains {
        $0.crop == file.crop && $0.size == file.size && $0.encoding == file.encoding
      }
    }
  }

  /// All files to make.
  package var files: [PlannedFile] { variants.flatMap(\.files) }

  /// The number of requested files: one in each format for each request.
  package var asked: Int { slots.reduce(0) { $0 + $1.requests.count } * formatCount }

  /// The number of requested files that need not be made, because another one is the same.
  package var shared: Int { asked - files.count }
}

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
