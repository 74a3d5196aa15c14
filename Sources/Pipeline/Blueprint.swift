internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraState
internal import TesseraWire

/// What one item needs, and which of it is there: the plan for a content, with what was published of
/// each of its files.
struct Blueprint: Sendable {
  var content: String
  var facts: SourceFacts
  var decode: DecodePlan
  var plan: Plan
  /// One for each of the plan's files.
  var keys: [String]
  var records: [VariantRecord?]
  var placeholderKey: String
  var placeholder: Placeholders?

  var isComplete: Bool { !records.contains(nil) && placeholder != nil }

  /// Indices of the files that have to be made.
  var missing: [Int] { records.indices.filter { records[$0] == nil } }
}

/// Puts catalog entries together. Pure: the same blueprint gives the same entry.
enum Assembly {
  /// The entry of an item that can be shown.
  ///
  /// - Parameters:
  ///   - file: says which placeholders are asked for, and how much is told.
  ///   - error: why it is stale; nil where it is fresh.
  static func image(
    _ entry: ManifestEntry, url: String, content: ContentRecord, blueprint: Blueprint,
    _ file: PipelineFile, error: CatalogImage.Failure? = nil
  ) -> CatalogImage {
    var records = blueprint.records[...]
    let variants = blueprint.plan.variants.compactMap { planned in
      defer { records = records.dropFirst(planned.files.count) }
      return variant(planned, records.prefix(planned.files.count).compactMap(\.self), file.profile)
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
      warnings: content.warnings.isEmpty ? nil : content.warnings,
      placeholder: blueprint.placeholder?.shown(file.placeholders), variants: variants, slots: slots
    )
  }

  /// - Parameter records: one for each of the variant's files; nil is the answer where one is missing.
  private static func variant(
    _ planned: PlannedVariant, _ records: [VariantRecord], _ profile: PipelineFile.Profile
  ) -> CatalogVariant? {
    guard records.count == planned.files.count, let first = records.first else { return nil }
    let file = planned.files[0]
    let also = zip(planned.files, records).dropFirst().map { file, record in
      CatalogVariant.Alternative(
        path: record.path, type: file.encoding.format.mediaType, bytes: record.bytes,
        fallback: file.fallback?.code, sha256: profile == .full ? record.sha256 : nil)
    }
    return CatalogVariant(
      path: first.path, type: file.encoding.format.mediaType, width: first.width,
      height: first.height, bytes: first.bytes, fallback: file.fallback?.code,
      also: also.isEmpty ? nil : also, sha256: profile == .full ? first.sha256 : nil)
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
    format: String? = nil, size: Size? = nil, placeholder: CatalogPlaceholder? = nil
  ) -> CatalogImage {
    CatalogImage(
      id: entry.id, url: url, status: .failed, width: size?.width, height: size?.height,
      format: format, error: failure, placeholder: placeholder)
  }
}

extension Placeholders {
  /// Those that are asked for; nil where there is none of them.
  func shown(_ kinds: [PipelineFile.Placeholder]) -> CatalogPlaceholder? {
    let shown = CatalogPlaceholder(
      color: kinds.contains(.color) ? color : nil,
      thumbhash: kinds.contains(.thumbhash) ? thumbHash : nil,
      blurhash: kinds.contains(.blurhash) ? blurHash : nil,
      lqip: kinds.contains(.lqip) ? lqip : nil)
    return shown == CatalogPlaceholder() ? nil : shown
  }
}
