internal import TesseraCatalog
internal import TesseraImageHeader
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraWorkers

/// Puts the catalog's entries together. Pure: the same outcome gives the same entry.
struct ImageEntries: Sendable {
  let plan: PlanSettings
  /// The placeholders that entries show.
  let placeholders: [Placeholders.Kind]
  let profile: PipelineFile.Profile
  let service: ImageService?
  private let showsURLs: Bool
  let names: FileNames

  init(_ file: PipelineFile) {
    names = FileNames(file)
    showsURLs = file.urls == .shown
    service = file.delivery
    plan = file.plan
    placeholders = file.placeholders
    profile = file.profile
  }

  // MARK: Items that can be shown

  /// - Parameter error: why the item is stale; nil if it is not.
  func shown(
    _ item: Item, _ content: ContentRecord, _ filePlan: FilePlan, error: ItemFailure? = nil
  ) -> CatalogImage {
    var records = filePlan.records[...]
    var variants: [CatalogVariant] = []
    for (index, planned) in filePlan.plan.variants.enumerated() {
      defer { records = records.dropFirst(planned.files.count) }
      guard
        var variant = variant(
          planned, records.prefix(planned.files.count).compactMap(\.self), filePlan)
      else { continue }
      if let service,
        let urls = urls(
          of: index, in: filePlan.plan, of: item,
          filePlan.facts.planned(content.format, focus: nil), by: service)
      {
        for (file, url) in zip(planned.files, urls) {
          let format = names.place(of: file.encoding)
          guard let place = variant.files.firstIndex(where: { $0.format == format }) else {
            continue
          }
          variant.files[place].url = url
        }
      }
      variants.append(variant)
    }
    let warnings = content.warnings.map(\.sentence)
    return CatalogImage(
      id: item.id, url: showsURLs ? item.shownURL : nil, status: error == nil ? .ok : .stale,
      width: content.facts.size.width, height: content.facts.size.height, format: content.format,
      alpha: content.facts.hasAlpha, animated: content.facts.frames > 1,
      frames: content.facts.frames,
      error: error.map { CatalogImage.Failure($0) }, warnings: warnings.isEmpty ? nil : warnings,
      placeholder: filePlan.placeholder?.shown(placeholders), variants: variants,
      slots: slots(filePlan.plan) { slot in
        slot.requests.map { lightest($0.variant, filePlan.plan, variants) }
      }, source: variants.isEmpty ? nil : filePlan.source.source)
  }

  /// The variant with the fewest bytes among those that show the same part with at least as many pixels, in all the same
  /// formats: a larger file of a graphic is often the smaller one.
  private func lightest(_ index: Int, _ plan: Plan, _ variants: [CatalogVariant]) -> Int {
    // All are there unless a record is missing, and then nothing is known of the others' places.
    guard variants.count == plan.variants.count else { return index }
    let (wanted, part) = (variants[index], plan.variants[index].crop)
    return variants.indices.filter { other in
      let variant = variants[other]
      return plan.variants[other].crop == part && variant.width >= wanted.width
        && variant.height >= wanted.height
        && variant.files.map(\.type) == wanted.files.map(\.type)
        && zip(variant.files, wanted.files).allSatisfy { ($0.bytes ?? 0) <= ($1.bytes ?? 0) }
    }.min { (variants[$0].firstBytes, $0) < (variants[$1].firstBytes, $1) } ?? index
  }

  /// - Parameter records: one for each of the variant's files; with fewer the variant is left out.
  private func variant(
    _ planned: PlannedVariant, _ records: [VariantRecord], _ filePlan: FilePlan
  ) -> CatalogVariant? {
    guard records.count == planned.files.count, let first = records.first else { return nil }
    var variant = CatalogVariant(
      width: first.width, height: first.height, crop: FileNames.crop(planned.crop),
      fallback: planned.fallback, files: [])
    for (file, record) in zip(planned.files, records) {
      let score = self.score(of: file, filePlan)
      let made = CatalogVariant.File(
        format: names.place(of: file.encoding), path: record.path,
        type: file.encoding.format.mediaType, bytes: record.bytes,
        isStill: filePlan.facts.frames > 1 && !file.encoding.isAnimated,
        sha256: profile == .full ? record.sha256 : nil,
        quality: score == nil ? nil : file.encoding.quality, score: score)
      if file.encoding.hasGainMap {
        (variant.highDynamicRangeFile, variant.headroom) = (made, filePlan.facts.headroom)
      } else {
        variant.files.append(made)
      }
    }
    variant.files.sort { $0.format ?? .max < $1.format ?? .max }
    return variant
  }

  /// The score at which a file's quality was found; nil if it was not, and in a catalog for clients.
  private func score(of file: PlannedFile, _ filePlan: FilePlan) -> Int? {
    guard profile == .full, file.encoding.automatic != nil else { return nil }
    let search = filePlan.searches.first { known in
      var encoding = known.search.encoding
      encoding.quality = known.found?.quality
      return encoding == file.encoding
    }
    return (search?.found?.score).map { Int($0.rounded()) }
  }

  func slots(
    _ plan: Plan, variants: (Plan.SlotPlan) -> [Int]
  ) -> [String: CatalogSlotUse] {
    var uses: [String: CatalogSlotUse] = [:]
    for slot in plan.slots {
      uses[slot.slot.name] = CatalogSlotUse(
        width: slot.layout.width, height: slot.layout.height,
        image: slot.image == slot.layout
          ? nil : CatalogSize(width: slot.image.width, height: slot.image.height),
        variants: variants(slot))
    }
    return uses
  }

  /// Where an image came from; nil unless the catalog is a full one.
  ///
  /// - Parameter isFile: whether it is a file of this machine: what confirms that has its times.
  func provenance(
    _ record: SourceRecord?, _ content: ContentRecord?, isFile: Bool = false
  ) -> CatalogSource? {
    guard profile == .full, let content, let record else { return nil }
    return CatalogSource(
      url: showsURLs ? record.url : nil, bytes: content.bytes, sha256: record.content,
      width: content.pixels?.width, height: content.pixels?.height,
      orientation: content.orientation, colourSpace: content.facts.colourSpace,
      profile: content.facts.profile, etag: isFile ? nil : record.confirmation.etag,
      lastModified: record.confirmation.lastModified, robots: record.robots)
  }

  // MARK: Items whose size is known

  func pending(_ item: Item, _ size: KnownSize, _ plan: Plan) -> CatalogImage {
    let facts = size.facts
    var image = CatalogImage(
      id: item.id, url: showsURLs ? item.shownURL : nil, status: .pending, width: facts.size.width,
      height: facts.size.height, format: size.format, alpha: facts.hasAlpha,
      slots: slots(plan) { _ in [] })
    switch size {
    case .bytes(_, _, let filePlan, _):
      image.placeholder = filePlan.placeholder?.shown(placeholders)
      (image.animated, image.frames) = (facts.frames > 1, facts.frames)
    case .header(let record):
      image.animated = record.isAnimated
      // A header does not say how many frames an animation has; they may have been counted.
      image.frames = record.isAnimated == false ? 1 : record.frames
    }
    return image
  }

  // MARK: Items that cannot be shown

  /// - Parameter known: what is known of the source from before, if the entry keeps it.
  func failed(_ item: Item, _ failure: ItemFailure, known: KnownSource?) -> CatalogImage {
    var image = CatalogImage(
      id: item.id, url: showsURLs ? item.shownURL : nil, status: .failed,
      error: CatalogImage.Failure(failure))
    guard let known else {
      image.format = failure.image?.format
      image.width = failure.image?.size.width
      image.height = failure.image?.size.height
      image.slots = boxes(of: item, failure.image?.size)
      return image
    }
    let size = known.header.map { Size($0.width, $0.height) } ?? known.filePlan?.facts.size
    image.width = size?.width
    image.height = size?.height
    image.slots = boxes(of: item, size)
    image.format = known.header?.format ?? known.content?.format
    // The placeholder of bytes that are known to be outdated would show another image.
    if known.header == nil {
      image.placeholder = known.filePlan?.placeholder?.shown(placeholders)
    }
    return image
  }
}

extension ImageEntries {
  /// The places of an image that has no files, so that a page reserves them: with their boxes where the size is known, or the slot
  /// has both sides.
  private func boxes(of item: Item, _ size: Size?) -> [String: CatalogSlotUse] {
    if let size {
      return slots(Plan(for: PlanSource(size: size), settings: plan, slots: item.slots)) { _ in [] }
    }
    var uses: [String: CatalogSlotUse] = [:]
    for slot in plan.slots where item.slots?.contains(slot.name) ?? true {
      let hasBox = slot.width != nil && slot.height != nil
      uses[slot.name] = CatalogSlotUse(
        width: hasBox ? slot.width : nil, height: hasBox ? slot.height : nil)
    }
    return uses
  }
}

extension CatalogVariant {
  fileprivate var firstBytes: Int { files.first?.bytes ?? 0 }
}

extension PlannedVariant {
  /// Why a file of it is not what was requested.
  var fallback: String? { files.lazy.compactMap(\.fallback).first?.code }
}

extension ItemFailure {
  /// The image that the failure is about, if it is one.
  fileprivate var image: ImageFacts? {
    switch self {
    case .unknownSlot, .unreachable: nil
    case .rejected(let rejection): rejection.image
    case .undecodable(_, let image): image
    }
  }
}

extension Placeholders {
  /// The configured kinds; nil if none of them is there.
  fileprivate func shown(_ kinds: [Placeholders.Kind]) -> CatalogPlaceholder? {
    var shown = CatalogPlaceholder()
    for kind in kinds { kind.show(self[kind], in: &shown) }
    return shown == CatalogPlaceholder() ? nil : shown
  }
}

extension Placeholders.Kind {
  fileprivate func show(_ text: String?, in placeholder: inout CatalogPlaceholder) {
    switch self {
    case .color: placeholder.color = text
    case .thumbhash: placeholder.thumbhash = text
    case .blurhash: placeholder.blurhash = text
    case .css: placeholder.css = text.flatMap { Int($0) }
    }
  }
}

/// Images of which an image service makes the variants.
extension ImageEntries {
  /// The plan for an image of a known size.
  func plan(of size: KnownSize, for item: Item) -> Plan {
    Plan(for: source(size, item), settings: plan, slots: item.slots)
  }

  /// Whether a run makes files of an image because the image service can't make it.
  func needsFiles(_ item: Item, _ size: KnownSize) -> Bool {
    let kind: ImageService.Exception = size.facts.frames > 1 ? .animated : .oversized
    return service?.filesFor.contains(kind) == true
      && plan(of: size, for: item).variants.contains(where: \.isLimited)
  }

  private func source(_ size: KnownSize, _ item: Item) -> PlanSource {
    var source = size.facts.planned(size.format, focus: item.focus)
    source.bytes = size.bytes
    source.hasURL = item.shownURL.hasPrefix("http:") || item.shownURL.hasPrefix("https:")
    return source
  }

  /// - Parameter error: why the item is stale; nil if it is not.
  func delivered(
    _ item: Item, _ size: KnownSize, _ plan: Plan, by service: ImageService,
    error: ItemFailure? = nil
  ) -> CatalogImage {
    var image = pending(item, size, plan)
    image.status = error == nil ? .ok : .stale
    image.error = error.map { CatalogImage.Failure($0) }
    image.variants = plan.variants.enumerated().map { index, planned in
      if planned.isOriginal { return original(planned, item, size) }
      let urls = urls(of: index, in: plan, of: item, source(size, item), by: service)
      let files = zip(planned.files, urls ?? []).map { file, url in
        CatalogVariant.File(
          format: names.place(of: file.encoding), url: url, type: file.encoding.format.mediaType,
          isStill: size.facts.frames > 1 && !file.encoding.isAnimated)
      }
      return CatalogVariant(
        width: planned.size.width, height: planned.size.height,
        crop: FileNames.crop(planned.crop), fallback: planned.fallback, files: files)
    }
    image.slots = slots(plan) { $0.requests.map(\.variant) }
    return image
  }

  /// The source as it is, in place of an image that the service can't make.
  private func original(
    _ planned: PlannedVariant, _ item: Item, _ size: KnownSize
  ) -> CatalogVariant {
    CatalogVariant(
      width: planned.size.width, height: planned.size.height, fallback: planned.fallback,
      files: [
        .init(
          format: nil, url: ImageService.original(item.shownURL),
          type: ImageFormat(rawValue: size.format)?.mediaType ?? "", bytes: size.bytes)
      ])
  }

  /// The URLs of a variant's files. Nil if the service can't make one of them as it is planned.
  func urls(
    of variant: Int, in plan: Plan, of item: Item, _ source: PlanSource, by service: ImageService
  ) -> [String]? {
    let (mode, url) = (plan.mode(of: variant), item.shownURL)
    let urls = plan.variants[variant].files.compactMap { file in
      service.url(
        of: DeliveryRequest(
          url: url, source: source, focus: item.focus ?? self.plan.gravity.focus,
          mode: mode, file: file))
    }
    return urls.count == plan.variants[variant].files.count ? urls : nil
  }
}
