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
    let others = (also ?? []).filter { types.contains($0.type) }
    let ordinary = (also ?? []).filter { $0.dynamicRange == nil }
    variant.also = others.isEmpty ? nil : others
    guard !types.contains(type) else { return variant }
    // Another file takes the place of the first.
    let next = ordinary.first { types.contains($0.type) } ?? ordinary.last
    if let file = next {
      (variant.path, variant.url, variant.type) = (file.path, file.url, file.type)
      (variant.bytes, variant.sha256, variant.fallback) = (file.bytes, file.sha256, file.fallback)
      (variant.quality, variant.score) = (file.quality, file.score)
    }
    let rest = others.filter { $0 != next }
    variant.also = rest.isEmpty ? nil : rest
    return variant
  }
}

extension CatalogImage {
  /// The image as one line of JSON, without a line break. Members that this version does not know are not in it.
  package var json: [UInt8] {
    var text: [UInt8] = []
    extra?.appendCanonicalJSON(to: &text)
    return line(extra: extra == nil ? nil : String(decoding: text, as: UTF8.self))
  }
}

extension Catalog {
  /// The head of a database: with the digest of the catalog that it was made from.
  package func databaseHead(_ selection: CatalogSelection?) -> [UInt8] {
    let head = selection?.head(self) ?? self
    var line = head.headLine(slotNames: head.slots.keys.sorted())
    if let digest, line.last == UInt8(ascii: "}") {
      line.removeLast()
      line += ",\"digest\":".utf8
      JSONCanonical.append(digest, to: &line)
      line.append(UInt8(ascii: "}"))
    }
    return line
  }
}
