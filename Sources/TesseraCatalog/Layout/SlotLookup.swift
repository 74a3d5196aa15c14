internal import TesseraText

/// A slot that a catalog does not have.
public struct UnknownSlot: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name that the app used.
  public var name: String
  /// The slots of the catalog, sorted.
  public var known: [String]
  /// The one that was probably meant.
  public var suggestion: String?

  /// `the catalog has no slot "crad"; did you mean "card"?`
  public var description: String {
    let rest =
      suggestion.map { "did you mean \"\($0)\"?" } ?? "it has \(known.joined(separator: ", "))"
    return "the catalog has no slot \"\(name)\"; \(rest)"
  }
}

extension Catalog {
  /// Checks the names that an app uses, once, when it has read the catalog. Later lookups return nil for a slot
  /// that is unknown, as they do for an image that is not used in it.
  ///
  /// - Throws: ``UnknownSlot`` for the first name that the catalog does not have.
  public func requireSlots(_ names: SlotName...) throws(UnknownSlot) {
    for name in names.map(\.rawValue) where slots[name] == nil {
      let known = slots.keys.sorted()
      throw UnknownSlot(name: name, known: known, suggestion: Nearest.match(to: name, among: known))
    }
  }
}

extension CatalogImage {
  /// The file to fetch for a slot on a screen: the one made for the smallest scale that is at least
  /// `scale`, or for the largest scale.
  ///
  /// Nil if the image is not used in the slot, if it has no files, or if the scale is not a number above 0: a layout that is not
  /// there yet.
  package func variant(for slot: String, scale: Double, in catalog: Catalog) -> CatalogVariant? {
    guard scale.isFinite, scale > 0, let use = slots[slot], let place = catalog.place(of: scale),
      // Both indices come from a document, so both may be out of range.
      use.variants.indices.contains(place), variants.indices.contains(use.variants[place])
    else { return nil }
    return variants[use.variants[place]]
  }

  /// Width divided by height, as displayed. Nil if the size is unknown.
  public var aspectRatio: Double? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    return Double(width) / Double(height)
  }
}

extension Catalog {
  /// The index of the smallest scale that is at least this one, or of the largest scale.
  fileprivate func place(of scale: Double) -> Int? {
    scales.firstIndex { Double($0) >= scale } ?? (scales.isEmpty ? nil : scales.count - 1)
  }
}
