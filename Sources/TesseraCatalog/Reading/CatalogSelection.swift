internal import TesseraJSON

/// The part of a catalog that some slots need: no other slots, and no files that only those have.
package struct CatalogSelection: Sendable, Equatable {
  package var slots: [String]
  /// The media types of files; nil for all. A variant that has none of them keeps its last file, which most clients show.
  package var types: [String]?
  /// Of the catalog's scales; nil for all.
  package var scales: [Int]?

  package init(slots: [String], types: [String]? = nil, scales: [Int]? = nil) {
    (self.slots, self.types, self.scales) = (slots, types, scales)
  }

  package func head(_ catalog: Catalog) -> Catalog {
    var head = catalog
    head.slots = head.slots.filter { slots.contains($0.key) }
    head.tables = head.tables?.filter { slots.contains($0.key) }
    if head.tables?.isEmpty == true { head.tables = nil }
    if let scales { head.scales = head.scales.filter(scales.contains) }
    return head
  }

  /// - Parameter all: the catalog's scales.
  package func image(_ whole: CatalogImage, scales all: [Int]) -> CatalogImage {
    var image = whole
    image.slots = image.slots.filter { slots.contains($0.key) }
    for (name, use) in image.slots {
      let places = zip(all, use.variants).filter { scales?.contains($0.0) ?? true }.map(\.1)
      image.slots[name]?.variants = places.filter(whole.variants.indices.contains)
    }
    let used = Set(image.slots.values.flatMap(\.variants)).sorted()
    image.variants = used.map { whole.variants[$0].files(of: types) }
    let places = Dictionary(uniqueKeysWithValues: zip(used, 0...))
    for (name, use) in image.slots {
      image.slots[name]?.variants = use.variants.map { places[$0]! }
    }
    return image
  }
}

extension CatalogVariant {
  /// The variant with the files of some types only.
  fileprivate func files(of types: [String]?) -> CatalogVariant {
    guard let types else { return self }
    var variant = self
    variant.files = files.filter { types.contains($0.type) }
    if variant.files.isEmpty, let last = files.last { variant.files = [last] }
    if let high = highDynamicRangeFile, !types.contains(high.type) {
      (variant.highDynamicRangeFile, variant.headroom) = (nil, nil)
    }
    return variant
  }
}

extension CatalogImage {
  /// The image as one line of JSON, without a line break. Members that this version does not know are not in it.
  package var json: [UInt8] {
    line(
      extra: extra.map { extra in
        var writer = JSONWriter()
        extra.write(to: &writer)
        return writer.text
      })
  }
}
