internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraState
internal import TesseraWire

/// What one item needs, and which of it is there: the plan for a content, with the published file
/// of each variant where there is one.
struct Blueprint: Sendable {
  var content: String
  var facts: SourceFacts
  /// The size the source is decoded at.
  var base: Size
  var plan: Plan
  /// One for each of the plan's variants.
  var keys: [String]
  var records: [VariantRecord?]

  var isComplete: Bool { !records.contains(nil) }

  /// Indices of the variants that have to be made.
  var missing: [Int] { records.indices.filter { records[$0] == nil } }
}

/// Puts catalog entries together. Pure: the same blueprint gives the same entry.
enum Assembly {
  /// The entry of an item that can be shown.
  ///
  /// - Parameter error: why it is stale; nil where it is fresh.
  static func image(
    _ entry: ManifestEntry, url: String, content: ContentRecord, blueprint: Blueprint,
    error: CatalogImage.Failure? = nil
  ) -> CatalogImage {
    let variants = zip(blueprint.plan.variants, blueprint.records).compactMap { planned, record in
      record.map { record in
        CatalogVariant(
          path: record.path, type: planned.encoding.format.mediaType, width: record.width,
          height: record.height, bytes: record.bytes, fallback: planned.fallback?.rawValue)
      }
    }
    var slots: [String: CatalogSlotUse] = [:]
    for slot in blueprint.plan.slots {
      slots[slot.slot.name] = CatalogSlotUse(
        width: slot.layout.width, height: slot.layout.height,
        variants: slot.requests.map(\.variant))
    }
    return CatalogImage(
      id: entry.id, url: url, status: error == nil ? .ok : .stale, width: content.width,
      height: content.height, format: content.format, alpha: content.hasAlpha,
      animated: content.frames > 1, frames: content.frames, error: error,
      warnings: content.warnings.isEmpty ? nil : content.warnings, variants: variants,
      slots: slots)
  }

  /// The entry of an item whose size is known, and whose files are not made. Its format is for the
  /// caller to add.
  static func pending(
    _ entry: ManifestEntry, url: String, _ facts: SourceFacts, _ plan: Plan
  ) -> CatalogImage {
    var slots: [String: CatalogSlotUse] = [:]
    for slot in plan.slots {
      slots[slot.slot.name] = CatalogSlotUse(
        width: slot.layout.width, height: slot.layout.height, variants: [])
    }
    return CatalogImage(
      id: entry.id, url: url, status: .pending, width: facts.size.width,
      height: facts.size.height, alpha: facts.hasAlpha, slots: slots)
  }

  /// The entry of an item that has nothing to show. Its size is told where it is known.
  static func failed(
    _ entry: ManifestEntry, url: String, _ failure: CatalogImage.Failure,
    format: String? = nil, size: Size? = nil
  ) -> CatalogImage {
    CatalogImage(
      id: entry.id, url: url, status: .failed, width: size?.width, height: size?.height,
      format: format, error: failure)
  }
}
