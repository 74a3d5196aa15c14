internal import TesseraJSON

/// The part of a catalog that some slots need: no other slots, and no files that only those have.
package struct CatalogSelection: Sendable {
  private let slots: Set<String>

  package init(slots: [String]) { self.slots = Set(slots) }

  package func head(_ catalog: Catalog) -> Catalog {
    var head = catalog
    head.slots = head.slots.filter { slots.contains($0.key) }
    head.tables = head.tables?.filter { slots.contains($0.key) }
    if head.tables?.isEmpty == true { head.tables = nil }
    return head
  }

  package func image(_ whole: CatalogImage) -> CatalogImage {
    var image = whole
    image.slots = image.slots.filter { slots.contains($0.key) }
    let used = Set(image.slots.values.flatMap(\.variants)).filter(whole.variants.indices.contains)
      .sorted()
    image.variants = used.map { whole.variants[$0] }
    var places: [Int: Int] = [:]
    for index in used { places[index] = places.count }
    for name in image.slots.keys {
      image.slots[name]?.variants = whole.slots[name]?.variants.compactMap { places[$0] } ?? []
    }
    return image
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
