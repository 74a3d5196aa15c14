internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan

/// Everything in a catalog but its images: it follows from the pipeline file and the versions.
struct CatalogHead {
  /// As a JSON object without a line break, without what follows from the images.
  let line: [UInt8]

  /// - Parameter tables: of ready pixels; nil if the run makes none.
  init(_ file: PipelineFile, libvips: String, tables: [String: [CatalogTable]]? = nil) {
    let slots = file.plan.slots.map { slot in
      (slot.name, CatalogSlot(width: slot.width, height: slot.height, mode: slot.mode))
    }
    var head = Catalog(
      generator: .init(name: Version.name, version: Version.number, libvips: libvips),
      pipeline: .init(
        name: file.name, fingerprint: Fingerprint.pipeline(file)),
      baseURL: file.baseURL, formats: FileNames(file).formats,
      slots: Dictionary(slots) { first, _ in first },
      scales: file.plan.scales, images: [])
    head.tables = tables
    line = head.headLine(slotNames: file.plan.slots.map(\.name))
  }
}
