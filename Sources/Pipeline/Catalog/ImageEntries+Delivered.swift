internal import TesseraCatalog
internal import TesseraDelivery
internal import TesseraImageHeader
internal import TesseraPlan

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
